import type { Virtualizer } from '@tanstack/react-virtual'

type Virtual = Virtualizer<HTMLDivElement, Element>

/** An entry of the feed. */
export interface Place {
  key: string
  index: number
}

/** Pixels by which a place can be missed: offsets are fractions. */
const SLACK = 1
/** Pixels below the answers. */
const MARGIN = 12

/**
 * How far a feed follows its end by itself: to the end of an open question, so that what comes below it does not move its
 * buttons under a pointer; only to its top if it is taller than the feed, so that it does not lose its title; or, once
 * they are asked for, to its answers. The last answer keeps its first line in sight, however long it and its table get.
 * After a person has scrolled on from there, to the end.
 */
export class FollowStop {
  asked: Place | null = null
  answer: Place | null = null
  virtual: Virtual | null = null
  private passed: string | null = null
  private answering: string | null = null

  /**
   * Scrolls by the virtualizer's own commands, which drop the corrections that it has not made yet. After a direct write
   * of `scrollTop` it would still make one at the next growth, and end short of the end.
   */
  goOn(): void {
    const place = this.place()
    if (place === null) this.virtual?.scrollToEnd()
    else this.virtual?.scrollToOffset(place)
  }

  isReached(feed: Element): boolean {
    const place = this.place()
    return place !== null && Math.abs(feed.scrollTop - place) <= SLACK
  }

  /** A person has scrolled the feed. */
  note(feed: Element): void {
    const place = this.place()
    if (place !== null && feed.scrollTop > place + SLACK) this.pass()
  }

  /** From here on the end itself is wanted, until the next question. */
  pass(): void {
    this.passed = (this.asked ?? this.answer)?.key ?? null
  }

  /** The question is called for: its answers are wanted if its top is in sight, else its top. Returns which. */
  call(asked: Place): 'answers' | 'top' {
    const feed = this.virtual?.scrollElement
    const top = this.virtual?.getOffsetForIndex(asked.index, 'start')?.[0] ?? 0
    const isInSight = feed && feed.scrollTop <= top + SLACK && top < feed.scrollTop + feed.clientHeight / 2
    this.answering = isInSight ? asked.key : null
    this.passed = null
    return isInSight ? 'answers' : 'top'
  }

  /** Whether it ends at the first line of an answer that continues below. */
  isShort(): boolean {
    return !this.asked && this.place() !== null
  }

  /** In pixels from the top; null for the end. */
  private place(): number | null {
    const { asked, virtual } = this
    const feed = virtual?.scrollElement
    if (!feed || !virtual) return null
    if (!asked) return this.placeOfAnswer(virtual, feed)
    if (asked.key === this.passed) return null
    if (asked.key === this.answering) return placeOfAnswers(feed, asked.index)
    const [start, end] = (['start', 'end'] as const).map(
      (side) => virtual.getOffsetForIndex(asked.index, side)?.[0],
    )
    return start === undefined || end === undefined ? null : Math.min(start, end)
  }

  private placeOfAnswer(virtual: Virtual, feed: Element): number | null {
    const { answer } = this
    const top = answer && virtual.measurementsCache[answer.index]?.start
    if (!answer || answer.key === this.passed || top === undefined || top === null) return null
    return top < virtual.getTotalSize() - feed.clientHeight - SLACK ? top : null
  }
}

function placeOfAnswers(feed: Element, index: number): number | null {
  const answers = feed.querySelector(`[data-index="${index}"] [data-answers]`)
  if (!answers) return null
  const below = answers.getBoundingClientRect().bottom + MARGIN - feed.getBoundingClientRect().bottom
  return Math.min(feed.scrollTop + below, feed.scrollHeight - feed.clientHeight)
}
