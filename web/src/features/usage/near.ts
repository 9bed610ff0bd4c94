/** Below 0.8 by less than a division of decimals is off: 0.08 of 0.1 is near. */
const NEAR_LIMIT = 0.8 - 1e-9

/** Is so much of a limit used that it is worth a word? */
export const isNear = (value: number, limit: number | null | undefined): boolean =>
  limit != null && limit > 0 && value / limit >= NEAR_LIMIT
