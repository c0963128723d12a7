import type { Filter } from 'mongodb'
import type { Page } from '#kernel'
import { type AuditDocument, NEWEST_FIRST } from './documents.ts'
import type { Cradle } from './manifest.ts'

/** Which rows are asked for; times are Unix seconds, both inclusive. */
export interface AuditQuery {
  since?: number
  until?: number
  actor?: string
  action?: string
  target?: string
  /** The id of the row that the page follows. */
  cursor?: string
  limit: number
}

/** A row as clients see it. */
export type AuditRow = ReturnType<typeof rowOf>

/** Reads the log. */
export type AuditLog = ReturnType<typeof createAuditLog>

/** Makes the reader. */
export function createAuditLog({ collections: { audit_log: rows } }: Pick<Cradle, 'collections'>) {
  /** The rows that come after the one at this place, whether that is still there or not. */
  const behind = async (place: number): Promise<Filter<AuditDocument> | undefined> => {
    const nearest = await rows.findOne({ _id: { $lte: place } }, { sort: { _id: -1 }, projection: { ts: 1 } })
    if (!nearest) return undefined
    const { ts } = nearest
    return { ts: { $lte: ts }, $or: [{ ts: { $lt: ts } }, { _id: { $lt: place } }] }
  }

  return {
    /** Rows newest first; the cursor of the next page is the id of the last row. */
    async page({ since, until, actor, action, target, cursor, limit }: AuditQuery): Promise<Page<AuditRow>> {
      const conditions: Filter<AuditDocument>[] = []
      if (actor !== undefined) conditions.push({ actor })
      if (action !== undefined) conditions.push({ action })
      if (target !== undefined) conditions.push({ target })
      if (since !== undefined) conditions.push({ ts: { $gte: since } })
      if (until !== undefined) conditions.push({ ts: { $lte: until } })
      if (cursor !== undefined) {
        const older = await behind(Number(cursor))
        if (!older) return { rows: [], next: null }
        conditions.push(older)
      }
      const filter = conditions.length > 0 ? { $and: conditions } : {}
      const found = await rows
        .find(filter)
        .sort(NEWEST_FIRST)
        .limit(limit + 1)
        .toArray()
      const page = found.slice(0, limit).map(rowOf)
      return { rows: page, next: found.length > limit ? page.at(-1)!.id : null }
    },
  }
}

function rowOf({ _id, ts, actor, action, target, payload, status, ip, request_id, hash }: AuditDocument) {
  const content = payload === null ? null : decodePayload(payload)
  return { id: String(_id), ts, actor, action, target, payload: content, status, ip, request_id, hash }
}

/** Text that somebody has made unreadable is shown as it is, so that it does not hide the rows beside it. */
function decodePayload(payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch {
    return payload
  }
}
