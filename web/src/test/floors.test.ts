import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const FLOOR: Record<string, number> = {
  lib: 0,
  i18n: 0,
  api: 0,
  stream: 0,
  ui: 1,
  session: 2,
  features: 3,
  pages: 4,
}
const ROOF = 5

const floorOf = (path: string) => FLOOR[path.split('/')[0] ?? ''] ?? ROOF

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.|^test\//.test(file),
  )
}

const IMPORT = /(?:from |import\(\s*|import )'(@\/|\.{1,2}\/)([^']+)'/g

/** Our files that a file imports, as paths below src. */
const importsOf = (file: string): string[] =>
  [...readFileSync(join('src', file), 'utf8').matchAll(IMPORT)].map(([, start, path]) =>
    start === '@/' ? path! : join(dirname(file), start!, path!),
  )

test('imports go down only: app, pages, features, session, ui, and what they stand on', () => {
  const wrong = sources('src').flatMap((file) =>
    importsOf(file)
      .filter((target) => floorOf(target) > floorOf(file))
      .map((target) => `${file} imports ${target}`),
  )
  expect(wrong).toEqual([])
})

test('no two files have one name, so that a search finds the one that is meant', () => {
  const known = new Map<string, string>()
  const repeated: string[] = []
  for (const file of sources('src')) {
    const name = basename(file)
      .replace(/\.tsx?$/, '')
      .toLowerCase()
    const other = known.get(name)
    if (other && name !== 'index') repeated.push(`${other} and ${file}`)
    known.set(name, file)
  }
  expect(repeated).toEqual([])
})
