import { createHash } from 'node:crypto'
import { findHits, type Hit, type Rule } from './rules.ts'

/** The most texts whose hits are remembered, so that a long conversation is not read again in each turn. */
const MAX_TEXTS = 10_000

/** The hits in a text, and whether the text is new here. */
export interface Scan {
  hits: readonly Hit[]
  isNew: boolean
}

/** Finds the hits of rules in texts. */
export type Scanner = ReturnType<typeof createScanner>

/** Creates a scanner; of the texts that it has read, it keeps their digests and the places of their hits alone. */
export function createScanner(rules: readonly Rule[]) {
  const scanned = new Map<string, readonly Hit[]>()
  return {
    hasRules: rules.length > 0,
    /** Scans a text; `owner` is whose text it is. */
    scan(text: string, owner: string): Scan {
      const key = createHash('sha256').update(owner).update('\0').update(text).digest('base64')
      const earlierHits = scanned.get(key)
      const hits = earlierHits ?? findHits(rules, text)
      scanned.delete(key)
      scanned.set(key, hits)
      if (scanned.size > MAX_TEXTS) scanned.delete(scanned.keys().next().value!)
      return { hits, isNew: earlierHits === undefined }
    },
  }
}
