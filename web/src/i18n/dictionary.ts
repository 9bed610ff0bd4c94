import type { en, Plural } from './en'

export type Words = Record<string, string | Plural>
/** Every key of the other, counted where it counts: a missing one does not compile. */
export type Like<W extends Words> = { [K in keyof W]: W[K] extends string ? string : Plural }
export type Dictionary = Like<typeof en>
