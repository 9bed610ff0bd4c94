const NEAR_LIMIT = 0.8

/** Is so much of a limit used that it is worth a word? */
export const isNear = (value: number, limit: number | null | undefined): boolean =>
  limit != null && limit > 0 && value >= limit * NEAR_LIMIT
