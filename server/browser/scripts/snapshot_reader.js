;(() => {
  const module = {}
  INJECTED_SCRIPT
  const reader = Object.create(module.exports.InjectedScript().prototype)
  const inside = (root, css) => root && Object.getPrototypeOf(root).querySelector.call(root, css)
  globalThis.pilothouseSnapshots = {
    read(frame) {
      const root = Document.prototype.querySelector.call(document, 'body,frameset')
      if (!root) return { snapshot: '', frames: [] }
      reader._frameSeq = frame
      const snapshot = reader.ariaSnapshot(root, { mode: 'ai', boxes: true })
      return { snapshot, frames: reader._lastAriaSnapshotForQuery.iframeRefs }
    },
    find(target) {
      if (!target.startsWith('css=')) return reader._lastAriaSnapshotForQuery?.info.get(target)?.element
      const [first, ...more] = target.slice(4).split(' >> css=')
      return more.reduce(
        (el, css) => el && inside(el.shadowRoot, css),
        Document.prototype.querySelector.call(document, first),
      )
    },
    point(target) {
      const el = this.find(target)
      if (!el?.isConnected) return null
      el.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' })
      const r = Element.prototype.getBoundingClientRect.call(el),
        x = r.x + r.width / 2,
        y = r.y + r.height / 2
      let hit = Document.prototype.elementFromPoint.call(document, x, y)
      while (hit?.shadowRoot) {
        const inner = ShadowRoot.prototype.elementFromPoint.call(hit.shadowRoot, x, y)
        if (!inner || inner === hit) break
        hit = inner
      }
      for (let at = hit; at; at = at.parentNode || at.host)
        if (at === el) return { x: Math.round(x), y: Math.round(y) }
      return null
    },
    select(target, options) {
      const el = this.find(target)
      return {
        isChosen: Array.isArray(
          el &&
            reader.selectOptions(
              el,
              options.map((valueOrLabel) => ({ valueOrLabel })),
            ),
        ),
      }
    },
  }
})()
