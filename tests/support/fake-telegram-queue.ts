import type { ServerResponse } from 'node:http'

/** An update before it has a number. */
export type Happening = { message?: object; callback_query?: object; [sort: string]: object | undefined }

interface Waiting {
  update_id: number
  happening: Happening
  acknowledged(): void
}

/** The parameters of a poll. */
export interface Poll {
  offset?: number
  timeout?: number
  limit?: number
  allowed_updates?: string[]
}

/** The updates of a bot that it has not acknowledged, and the one poll that may wait for more. */
export interface UpdateQueue {
  /**
   * Adds an update, unless the bot wants none of that sort; resolves when the bot has acknowledged it, and rejects when
   * it has not after ten seconds.
   */
  push(happening: Happening): Promise<void>
  /** Answers a poll, at once or when something comes; `reply` gets the updates. */
  poll(poll: Poll, response: ServerResponse, reply: (updates: object[]) => void): void
  /** Ends the poll that waits, if there is one, with what `reply` does to it. */
  interrupt(reply: (response: ServerResponse) => void): void
  /** Number of updates without an acknowledgement. */
  size(): number
  /** True if the bot polls or did so a moment ago. */
  alive(): boolean
  /** Waits for no acknowledgement any more. */
  close(): void
}

const PATIENCE_MS = 40_000
/** Between two polls a bot is not seen for a moment. */
const BLINK_MS = 300
/** So many polls in one second that get the same updates are too many. */
const MAX_REPEATS = 12

/** Creates the queue of one bot. */
export function createUpdateQueue(violations: string[]): UpdateQueue {
  const waiting: Waiting[] = []
  const timers = new Set<NodeJS.Timeout>()
  /** The update types of the last poll; earlier updates are stored regardless of their type. */
  let allowed: string[] | undefined
  let lastId = 700_000_000
  let held: { response: ServerResponse; answer(): void } | undefined
  /** When a poll was answered that no other has followed. */
  let seen = Number.NEGATIVE_INFINITY
  let repeats: { offset: number; times: number[] } = { offset: 0, times: [] }

  function noteRepeat(offset: number): void {
    const now = performance.now()
    if (repeats.offset !== offset) repeats = { offset, times: [] }
    repeats.times = [...repeats.times.filter((time) => now - time < 1000), now]
    if (repeats.times.length > MAX_REPEATS) violations.push('polls without pause for what it already has')
  }

  return {
    push(happening) {
      if (allowed && !Object.keys(happening).every((sort) => allowed!.includes(sort)))
        return Promise.resolve()
      lastId += 1
      const update_id = lastId
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('the bot took no notice')), PATIENCE_MS)
        timers.add(timer)
        const acknowledged = () => {
          clearTimeout(timer)
          timers.delete(timer)
          resolve()
        }
        waiting.push({ update_id, happening, acknowledged })
        held?.answer()
      })
    },

    poll({ offset = 0, timeout = 0, limit = 100, allowed_updates }, response, reply) {
      while (waiting[0] && waiting[0].update_id < offset) waiting.shift()!.acknowledged()
      if (!Array.isArray(allowed_updates)) violations.push('polls for all sorts of updates')
      allowed = allowed_updates
      const give = () => {
        const due = waiting.slice(0, limit)
        if (due.length > 0) noteRepeat(offset)
        seen = performance.now()
        reply(due.map(({ update_id, happening }) => ({ update_id, ...happening })))
      }
      if (waiting.length > 0 || timeout === 0) return give()
      const timer = setTimeout(() => held?.answer(), timeout * 1000)
      const own = {
        response,
        answer() {
          if (held === own) held = undefined
          clearTimeout(timer)
          give()
        },
      }
      held = own
      seen = Number.NEGATIVE_INFINITY
      response.once('close', () => {
        clearTimeout(timer)
        if (held === own) held = undefined
      })
    },

    interrupt(reply) {
      const poll = held
      held = undefined
      if (poll) reply(poll.response)
    },

    size: () => waiting.length,
    alive: () => held !== undefined || performance.now() - seen < BLINK_MS,
    close() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
