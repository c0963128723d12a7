import { setTimeout as sleep } from 'node:timers/promises'
import { ChannelFailure, type ChannelLink, PlatformRefusal } from '#plugin-api'
import type { MatrixApi } from './api.ts'
import { type SyncAnswer, TIMELINE_TYPES } from './events.ts'
import { isPassing } from './failure.ts'
import type { StoredPosition } from './position.ts'

/** The homeserver answers a request for news after at most this time, in milliseconds. */
const POLL_MS = 25_000
/** A request is aborted this long after its answer was due: a homeserver may take its time for the first one. */
const GRACE_MS = 30_000
/** The pause after failures doubles from the first to the last value, in milliseconds. */
const FIRST_PAUSE_MS = 250
const LAST_PAUSE_MS = 30_000
/** The longest pause that a homeserver may ask for, in milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000
/** The shortest time between two answers without news, in milliseconds. */
const IDLE_PAUSE_MS = 250

/** Requests no more than is used here. */
const FILTER = JSON.stringify({
  presence: { types: [] },
  account_data: { types: [] },
  room: {
    ephemeral: { types: [] },
    account_data: { types: [] },
    state: { types: ['m.room.create', 'm.room.encryption', 'm.room.member'], lazy_load_members: true },
    timeline: { types: TIMELINE_TYPES, limit: 50 },
  },
})

/** Creates the polling of an account. `handle` stores what came, and the position behind it; if it rejects, the same comes again. */
export function createSync({
  api,
  link,
  signal,
  position,
  handle,
}: {
  api: MatrixApi
  link: Pick<ChannelLink, 'log' | 'connecting' | 'connected' | 'lost'>
  signal: AbortSignal
  position: StoredPosition
  handle(answer: SyncAnswer, since: string | undefined): Promise<void>
}) {
  let since = position.since()
  let first: SyncAnswer | undefined

  async function poll(timeout_ms: number): Promise<SyncAnswer> {
    try {
      const query = { filter: FILTER, timeout: String(timeout_ms), since }
      const call = {
        method: 'GET',
        path: '/client/v3/sync',
        query,
        timeout_ms: timeout_ms + GRACE_MS,
      } as const
      const answer = await api.call<SyncAnswer>(call, signal)
      if (typeof answer.next_batch === 'string') return answer
      throw new ChannelFailure('unknown', 'The homeserver answered without a position.')
    } catch (error) {
      if (since === undefined || !isAboutPosition(error)) throw error
      link.log.warn({ error }, 'the homeserver does not know the stored position; what was missed is lost')
      since = undefined
      return poll(timeout_ms)
    }
  }

  // Rejects only when aborted, which the callers look at.
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {})

  return {
    /** Makes the first request, so that a refusal rejects at once. */
    async begin(): Promise<void> {
      first = await poll(0)
    },

    /** Polls until the signal is aborted or the connection is lost; never rejects. */
    async run(): Promise<void> {
      let failures = 0
      let isAway = false
      const afterFailure = (least = 0) =>
        pause(
          Math.max(
            Math.min(FIRST_PAUSE_MS * 2 ** failures++, LAST_PAUSE_MS),
            Math.min(least, MAX_RETRY_AFTER_MS),
          ),
        )
      while (!signal.aborted) {
        const begun = performance.now()
        let answer: SyncAnswer
        try {
          // After a failure, an answer that comes at once shows if the homeserver can be reached again.
          answer = first ?? (await poll(isAway ? 0 : POLL_MS))
          first = undefined
        } catch (error) {
          if (signal.aborted) return
          if (!isPassing(error)) return link.lost(error)
          const { message, retry_after_ms } = error as ChannelFailure
          if (!isAway) link.connecting(message)
          isAway = true
          await afterFailure(retry_after_ms)
          continue
        }
        if (isAway) link.connected()
        isAway = false
        try {
          await handle(answer, since)
          since = answer.next_batch
          failures = 0
        } catch (error) {
          if (signal.aborted) return
          link.log.warn({ error }, 'messages could not be stored; the homeserver will deliver them again')
          await afterFailure((error as Partial<ChannelFailure>).retry_after_ms)
          continue
        }
        // A homeserver that answers at once with nothing must not be asked without a pause.
        if (!answer.rooms && performance.now() - begun < IDLE_PAUSE_MS) await pause(IDLE_PAUSE_MS)
      }
    },
  }
}

/** True if a homeserver refuses the position, which it may do after it was restored from a backup. */
const isAboutPosition = (error: unknown) =>
  error instanceof PlatformRefusal && error.status === 400 && error.code !== 'M_LIMIT_EXCEEDED'
