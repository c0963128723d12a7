import type { Logger } from '#plugin-api'
import { type MatrixApi, roomPath } from './api.ts'
import { isJoinOf, type JoinedRoom, type MatrixEvent, TIMELINE_TYPES } from './events.ts'
import { isFinal } from './failure.ts'

const PAGE = 100
/** The most pages of missed events that are fetched for a room. */
const MAX_PAGES = 10

/**
 * Returns the events of a room after the position `since`, oldest first, including those that the homeserver left out of
 * its answer. Events from before the account joined are left out.
 */
export async function readTimeline(
  { timeline = {} }: JoinedRoom,
  {
    api,
    log,
    room_id,
    user_id,
    since,
    last_read,
    signal,
  }: {
    api: MatrixApi
    log: Logger
    room_id: string
    user_id: string
    since: string
    /** The newest event that was read before: some homeservers page on beyond `since`. */
    last_read: string | undefined
    signal: AbortSignal
  },
): Promise<MatrixEvent[]> {
  const { events = [], limited, prev_batch } = timeline
  const isOwnJoin = (event: MatrixEvent) => isJoinOf(event, user_id)
  const sinceJoin = afterLast(events, isOwnJoin)
  if (sinceJoin || !limited || !prev_batch) return sinceJoin ?? events

  const earlier: MatrixEvent[] = []
  const filter = JSON.stringify({ types: TIMELINE_TYPES })
  let from: string | undefined = prev_batch
  for (let page = 0; from !== undefined; page++) {
    if (page === MAX_PAGES) {
      log.warn({ room_id }, 'too many messages were missed in a room; the earliest are left out')
      break
    }
    const query = { dir: 'b', from, to: since, limit: String(PAGE), filter }
    const { chunk = [], end }: { chunk?: MatrixEvent[]; end?: string } = await fetchPage(query)
    earlier.unshift(...chunk.toReversed())
    const missed = afterLast(earlier, (event) => event.event_id === last_read || isOwnJoin(event))
    if (missed) return [...missed, ...events]
    from = chunk.length > 0 && end !== from ? end : undefined
  }
  return [...earlier, ...events]

  async function fetchPage(query: Record<string, string>) {
    try {
      const path = roomPath(room_id, 'messages')
      return await api.callPatiently<{ chunk?: MatrixEvent[]; end?: string }>(
        { method: 'GET', path, query },
        signal,
      )
    } catch (error) {
      if (!isFinal(error)) throw error
      log.warn({ error, room_id }, 'missed messages of a room could not be fetched')
      return {}
    }
  }
}

/** Returns the events after the last one for which `ends` holds; undefined if there is none. */
function afterLast(events: MatrixEvent[], ends: (event: MatrixEvent) => boolean): MatrixEvent[] | undefined {
  const index = events.findLastIndex(ends)
  return index === -1 ? undefined : events.slice(index + 1)
}
