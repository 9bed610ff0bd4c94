;() => {
  POINT_HELPERS

  const COLUMNS = 24,
    ROWS = 14
  const isDrawnAt = (root, x, y, depth) => {
    const top = deepest(root, x, y)
    if (!top || is(top, 'html,body')) return false
    const inner = depth < 5 && documentIn(top),
      origin = inner && originOf(top)
    if (origin) return isDrawnAt(inner, x - origin[0], y - origin[1], depth + 1)
    const own = drawnAround(top),
      candidates = own ? [own] : [...allIn(top, DRAWN)].slice(0, 100)
    return candidates.some((el) => holds(rect(el), x, y) && !isNamed(el))
  }
  let drawn = 0
  for (let column = 0; column < COLUMNS; column++)
    for (let row = 0; row < ROWS; row++)
      drawn += isDrawnAt(
        document,
        ((column + 0.5) * innerWidth) / COLUMNS,
        ((row + 0.5) * innerHeight) / ROWS,
        0,
      )
  return { share: drawn / COLUMNS / ROWS, width: innerWidth, height: innerHeight }
}
