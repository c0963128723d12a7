import { setTimeout as sleep } from 'node:timers/promises'
import type { Update } from 'grammy/types'
import type { ChannelFailure, ChannelLink } from '#plugin-api'
import { type Album, createAlbums } from './albums.ts'
import type { TelegramClient } from './client.ts'

/** The requested types of updates; edits, channel posts and all others are not delivered. */
const UPDATE_TYPES: readonly ('message' | 'callback_query')[] = ['message', 'callback_query']

/** Telegram answers a poll after at most this time, in seconds. */
const POLL_SECONDS = 25
/** A poll is aborted this long after its answer was due, in milliseconds. */
const POLL_GRACE_MS = 10_000
/** Interval for polling more parts of an album, in milliseconds. */
const ALBUM_POLL_MS = 500
/** The pause after failures doubles from the first to the last value, in milliseconds. */
const FIRST_PAUSE_MS = 250
const LAST_PAUSE_MS = 30_000
/** The longest pause that Telegram may ask for, in milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** Failures after which a retry is useless. */
const FATAL = new Set(['invalid_credentials', 'already_connected', 'forbidden'])

/** Handles updates; if a call rejects, Telegram delivers the updates again. */
interface UpdateHandler {
  handle(update: Update): Promise<void>
  handleAlbum(album: Album): Promise<void>
}

/** Creates the polling of one bot. An update is acknowledged by the next poll only after it was handled. */
export function createPolling({
  client,
  link,
  signal,
  handler,
}: {
  client: TelegramClient
  link: Pick<ChannelLink, 'log' | 'connecting' | 'connected' | 'lost'>
  signal: AbortSignal
  handler: UpdateHandler
}) {
  const albums = createAlbums()
  /** Handled updates that cannot be acknowledged yet, because an earlier one was not handled. */
  const done = new Set<number>()
  /** The first update that is not acknowledged. */
  let offset = 0
  let first: Update[] | undefined

  async function poll(seconds: number): Promise<Update[]> {
    const limit = seconds * 1000 + POLL_GRACE_MS
    const updates: unknown = await client.call(
      (api, until) => api.getUpdates({ offset, timeout: seconds, allowed_updates: UPDATE_TYPES }, until),
      signal,
      limit,
    )
    return Array.isArray(updates) ? updates.filter(isUpdate).sort((a, b) => a.update_id - b.update_id) : []
  }

  async function handleAll(updates: Update[]): Promise<void> {
    try {
      for (const update of updates) {
        const { update_id } = update
        if (done.has(update_id) || albums.add(update) || albums.blocks(update)) continue
        await handler.handle(update)
        done.add(update_id)
      }
      for (const album of albums.listReady()) {
        await handler.handleAlbum(album)
        for (const id of album.updates) done.add(id)
        albums.drop(album)
      }
    } finally {
      const open = updates.find(({ update_id }) => !done.has(update_id)) ?? updates.at(-1)
      if (open) offset = done.has(open.update_id) ? open.update_id + 1 : open.update_id
      for (const id of done) if (id < offset) done.delete(id)
    }
  }

  /** Creates a pause that doubles each time and ends when the signal is aborted. */
  function createPause() {
    let next = FIRST_PAUSE_MS
    return {
      reset() {
        next = FIRST_PAUSE_MS
      },
      async wait(least = 0) {
        const time = Math.max(next, Math.min(least, MAX_RETRY_AFTER_MS))
        next = Math.min(next * 2, LAST_PAUSE_MS)
        await pause(time)
      },
    }
  }

  /** Resolves also when aborted: the loop checks the signal itself. */
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {})

  return {
    /** Makes the first poll, so that a refusal rejects at once. */
    async begin(): Promise<void> {
      first = await poll(0)
    },

    /** Polls until the signal is aborted or the connection is lost; never rejects. */
    async run(): Promise<void> {
      const afterFailedPoll = createPause()
      const afterRefusal = createPause()
      let isAway = false
      while (!signal.aborted) {
        // After a failure, a poll that returns at once shows if Telegram can be reached again.
        const seconds = first || isAway || albums.hasAny() ? 0 : POLL_SECONDS
        let updates: Update[]
        try {
          updates = first ?? (await poll(seconds))
          first = undefined
        } catch (error) {
          if (signal.aborted) return
          const { reason, message, retry_after_ms } = error as ChannelFailure
          if (FATAL.has(reason)) return link.lost(error)
          if (!isAway) link.connecting(message)
          isAway = true
          await afterFailedPoll.wait(retry_after_ms)
          continue
        }
        if (isAway) link.connected()
        isAway = false
        afterFailedPoll.reset()
        try {
          await handleAll(updates)
          afterRefusal.reset()
        } catch (error) {
          link.log.warn({ error }, 'a message could not be stored; Telegram will deliver it again')
          await afterRefusal.wait()
        }
        if (albums.hasAny()) await pause(ALBUM_POLL_MS)
        // A server that answers long polls at once with nothing must not be polled without a pause.
        else if (seconds > 0 && updates.length === 0) await pause(FIRST_PAUSE_MS)
      }
    },
  }
}

/** True for an update with an id; others cannot be acknowledged. */
const isUpdate = (candidate: unknown): candidate is Update =>
  Number.isSafeInteger((candidate as Partial<Update> | null)?.update_id)
