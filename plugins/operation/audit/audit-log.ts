import type { Filter } from 'mongodb'
import type { Page } from '#plugin-api'
import { type AuditDocument, NEWEST_FIRST } from './documents.ts'
import type { Cradle } from './manifest.ts'

/** The requested rows; times are Unix seconds, both inclusive. */
export interface AuditQuery {
  since?: number
  until?: number
  actor?: string
  action?: string
  target?: string
  /** The id of the last row of the previous page. */
  cursor?: string
  limit: number
}

/** A row as clients see it. */
type AuditRow = ReturnType<typeof toRow> & { object: string | null; object_exists: boolean }

/** Reads the log. */
export type AuditLog = ReturnType<typeof createAuditLog>

/** Creates the reader. */
export function createAuditLog({
  collections: { audit_log: rows },
  objectNames,
}: Pick<Cradle, 'collections' | 'objectNames'>) {
  /** Returns the filter for rows before this number; its own row may be missing. */
  const whereOlder = async (seq: number): Promise<Filter<AuditDocument> | undefined> => {
    const nearest = await rows.findOne({ _id: { $lte: seq } }, { sort: { _id: -1 }, projection: { ts: 1 } })
    if (!nearest) return undefined
    const { ts } = nearest
    return { ts: { $lte: ts }, $or: [{ ts: { $lt: ts } }, { _id: { $lt: seq } }] }
  }

  return {
    /** Returns rows, newest first; the cursor of the next page is the id of the last row. */
    async page({ since, until, actor, action, target, cursor, limit }: AuditQuery): Promise<Page<AuditRow>> {
      const conditions: Filter<AuditDocument>[] = []
      if (actor !== undefined) conditions.push({ actor })
      if (action !== undefined) conditions.push({ action })
      if (target !== undefined) conditions.push({ target })
      if (since !== undefined) conditions.push({ ts: { $gte: since } })
      if (until !== undefined) conditions.push({ ts: { $lte: until } })
      if (cursor !== undefined) {
        const older = await whereOlder(Number(cursor))
        if (!older) return { rows: [], next: null }
        conditions.push(older)
      }
      const filter = conditions.length > 0 ? { $and: conditions } : {}
      const documents = await rows
        .find(filter)
        .sort(NEWEST_FIRST)
        .limit(limit + 1)
        .toArray()
      const shown = documents.slice(0, limit)
      const objects = await objectNames.find(shown)
      const page = shown.map((document, index) => ({ ...toRow(document), ...objects[index]! }))
      return { rows: page, next: documents.length > limit ? page.at(-1)!.id : null }
    },
  }
}

function toRow({ _id, entry_id, payload, credential, ...row }: AuditDocument) {
  const content = payload === null ? null : decodePayload(payload)
  return { id: String(_id), ...row, payload: content, credential: credential ?? null }
}

/** Decodes a payload; text that somebody tampered with is returned unchanged, so that other rows can still be read. */
function decodePayload(payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch {
    return payload
  }
}
