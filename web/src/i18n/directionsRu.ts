import { DIRECTIONS } from './resultsRu'

export type { Dictionary } from './dictionary'

/** The words of the server, for the page's own sentences. */
export const directions = {
  'direction.up': DIRECTIONS.up,
  'direction.down': DIRECTIONS.down,
  'direction.left': DIRECTIONS.left,
  'direction.right': DIRECTIONS.right,
}
