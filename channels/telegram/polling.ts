import { setTimeout as sleep } from 'node:timers/promises'
import type { Update } from 'grammy/types'
import type { ChannelFailure, ChannelLink } from '#plugin-api'
import { type Album, createAlbums } from './albums.ts'
import type { TelegramClient } from './client.ts'

/** What is asked for; edits, channel posts and all else stay away. */
const ALLOWED: readonly ('message' | 'callback_query')[] = ['message', 'callback_query']

/** Telegram answers a poll at the latest after this time, in seconds. */
const POLL_SECONDS = 25
/** A poll without an answer for so long beyond that is given up, in milliseconds. */
const POLL_GRACE_MS = 10_000
/** How often it is looked whether more parts of an album came, in milliseconds. */
const ALBUM_LOOK_MS = 500
/** The pauses after failures double from the first to the last, in milliseconds. */
const FIRST_PAUSE_MS = 250
const LAST_PAUSE_MS = 30_000
/** Telegram is not left alone for longer, whatever it asks. */
const LONGEST_PAUSE_MS = 3_600_000

/** Where to go on trying is of no use. */
const FATAL = new Set(['invalid_credentials', 'already_connected', 'forbidden'])

/** What becomes of updates; both reject where Telegram shall deliver them again. */
export interface UpdateHandler {
  handle(update: Update): Promise<void>
  handleAlbum(album: Album): Promise<void>
}

/** Gets updates from Telegram, each until it has been handled: only then is it acknowledged, by the next poll. */
export interface Polling {
  /** Asks once, so that a refusal shows at once. */
  begin(): Promise<void>
  /** Polls until the signal is aborted, or until the connection is lost; never rejects. */
  run(): Promise<void>
}

/** Creates the polling of one bot. */
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
}): Polling {
  const albums = createAlbums()
  /** Updates that were handled and cannot be acknowledged, because one before them was not. */
  const done = new Set<number>()
  /** The first update that Telegram has not been told of. */
  let offset = 0
  let first: Update[] | undefined

  async function poll(seconds: number): Promise<Update[]> {
    const limit = seconds * 1000 + POLL_GRACE_MS
    const updates: unknown = await client.call(
      (api, until) => api.getUpdates({ offset, timeout: seconds, allowed_updates: ALLOWED }, until),
      signal,
      limit,
    )
    return Array.isArray(updates) ? updates.filter(isUpdate).sort((a, b) => a.update_id - b.update_id) : []
  }

  async function handleAll(updates: Update[]): Promise<void> {
    try {
      for (const update of updates) {
        const { update_id } = update
        if (done.has(update_id) || albums.keep(update) || albums.holdsBack(update)) continue
        await handler.handle(update)
        done.add(update_id)
      }
      for (const album of albums.ready()) {
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

  /** Waits longer each time; at once over when the signal is aborted. */
  function createPause() {
    let next = FIRST_PAUSE_MS
    return {
      reset() {
        next = FIRST_PAUSE_MS
      },
      async wait(least = 0) {
        const time = Math.max(next, Math.min(least, LONGEST_PAUSE_MS))
        next = Math.min(next * 2, LAST_PAUSE_MS)
        await pause(time)
      },
    }
  }

  /** The signal's reason is no failure here: the loop looks at the signal itself. */
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {})

  return {
    async begin() {
      first = await poll(0)
    },

    async run() {
      const afterFailedPoll = createPause()
      const afterRefusal = createPause()
      let away = false
      while (!signal.aborted) {
        // After a failure, an answer at once tells whether Telegram is there again.
        const seconds = first || away || albums.waiting() ? 0 : POLL_SECONDS
        let updates: Update[]
        try {
          updates = first ?? (await poll(seconds))
          first = undefined
        } catch (error) {
          if (signal.aborted) return
          const { reason, message, retry_after_ms } = error as ChannelFailure
          if (FATAL.has(reason)) return link.lost(error)
          if (!away) link.connecting(message)
          away = true
          await afterFailedPoll.wait(retry_after_ms)
          continue
        }
        if (away) link.connected()
        away = false
        afterFailedPoll.reset()
        try {
          await handleAll(updates)
          afterRefusal.reset()
        } catch (error) {
          link.log.warn({ error }, 'a message could not be taken; Telegram delivers it again')
          await afterRefusal.wait()
        }
        if (albums.waiting()) await pause(ALBUM_LOOK_MS)
        // What answers long polls at once, with nothing, must not be asked without end.
        else if (seconds > 0 && updates.length === 0) await pause(FIRST_PAUSE_MS)
      }
    },
  }
}

/** What is no update cannot even be acknowledged. */
const isUpdate = (candidate: unknown): candidate is Update =>
  Number.isSafeInteger((candidate as Partial<Update> | null)?.update_id)
