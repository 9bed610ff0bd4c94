import { readFileSync } from 'node:fs'
import type { SessionDetail } from '@/api/types'
import type { LiveEvent } from '@/stream/events'

export const RECORDED = ['shop', 'thinking', 'stopped', 'failed', 'limit'] as const

const read = (file: string) => readFileSync(`src/test/fixtures/${file}`, 'utf8')

/** The events of a run as the server sent them. */
export const eventsOf = (name: string): LiveEvent[] =>
  read(`${name}.events.jsonl`)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LiveEvent)

/** What `GET /sessions/{id}` answered after that run. */
export const sessionOf = (name: string): SessionDetail =>
  JSON.parse(read(`${name}.session.json`)) as SessionDetail
