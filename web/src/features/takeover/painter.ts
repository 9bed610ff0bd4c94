/** Draws the newest frame on every canvas that shows it; frames that came too fast are left out. */
export class Painter {
  private canvases = new Set<HTMLCanvasElement>()
  private waiting: Blob | null = null
  private last: ImageBitmap | null = null
  private owed = 0
  private isBusy = false

  /** `done` is called once for each frame when it, or a newer one, is on the screen: the server sends more then. */
  constructor(private done: () => void) {}

  show(canvas: HTMLCanvasElement): () => void {
    this.canvases.add(canvas)
    if (this.last) draw(canvas, this.last)
    this.schedule()
    return () => void this.canvases.delete(canvas)
  }

  add(frame: Blob): void {
    this.waiting = frame
    this.owed += 1
    this.schedule()
  }

  /** A hidden tab has no animation frames: nothing is painted there, and the server rests. */
  private schedule(): void {
    if (this.isBusy || !this.waiting || this.canvases.size === 0) return
    this.isBusy = true
    requestAnimationFrame(() => void this.paint())
  }

  close(): void {
    this.last?.close()
    this.last = null
    this.waiting = null
    this.owed = 0
  }

  private async paint(): Promise<void> {
    const [frame, owed] = [this.waiting, this.owed]
    this.waiting = null
    this.owed = 0
    const picture = frame && (await createImageBitmap(frame).catch(() => null))
    if (picture) this.put(picture)
    for (let left = owed; left > 0; left -= 1) this.done()
    this.isBusy = false
    this.schedule()
  }

  private put(picture: ImageBitmap): void {
    this.last?.close()
    this.last = picture
    for (const canvas of this.canvases) draw(canvas, picture)
  }
}

function draw(canvas: HTMLCanvasElement, picture: ImageBitmap): void {
  if (canvas.width !== picture.width) canvas.width = picture.width
  if (canvas.height !== picture.height) canvas.height = picture.height
  canvas.getContext('2d', { alpha: false })?.drawImage(picture, 0, 0)
}
