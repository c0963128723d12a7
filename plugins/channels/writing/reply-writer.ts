import type { Logger } from '#kernel'
import type { ChannelCapabilities, JSONValue } from '#plugin-api'
import { failureOf } from './failure.ts'
import { createLiveWriting } from './live-writing.ts'
import { createReplyMessages, type WritingProgress } from './reply-messages.ts'
import { type Connect, createSender } from './sending.ts'
import { systemTiming, type Timing } from './timing.ts'

export type { WritingProgress } from './reply-messages.ts'

/** Writes one reply to a platform, while it grows or when it is whole. */
export interface ReplyWriter {
  /** Shows the reply so far, when its time comes; all of it, always longer than before. Never throws, never waits. */
  show(markdown: string): void
  /** Delivers the whole of it; resolves when the platform has it. Throws what cannot be helped, or ended the writing. */
  finish(markdown: string): Promise<void>
  /** Gives up writing: resolves when no call is under way. What was to be finished rejects. */
  stop(): Promise<void>
}

/** What a reply is written with. */
export interface ReplyWriterOptions {
  /** Gives the same connection as long as it lives: a live message is begun anew on another one. */
  connect: Connect
  capabilities: ChannelCapabilities
  target: JSONValue
  /** Of the reply; the keys of its messages are made of it. */
  key: string
  /** Where it is not, only `finish` sends. */
  is_live: boolean
  /** Where an earlier process left off. */
  progress: WritingProgress
  /** Stores it durably before the next call is made. What it throws ends the writing. */
  save(progress: WritingProgress): Promise<void>
  signal: AbortSignal
  log: Logger
  clock?: Timing
  random?: () => number
}

/**
 * Makes the writer of a reply. One call is under way at a time. What a process did not live to store is done once more by
 * the next one, with the same key: at most one message.
 */
export function createReplyWriter(options: ReplyWriterOptions): ReplyWriter {
  const { connect, capabilities, target, key, is_live, progress, save, log } = options
  const { clock: timing = systemTiming, random = Math.random } = options
  const over = new AbortController()
  const { signal } = over
  const sender = createSender({ connect, signal, clock: timing, random })
  const messages = createReplyMessages({ capabilities, target, key, begun: progress, save, sender })
  const live = createLiveWriting({
    ...{ capabilities, is_live, target, messages, connect },
    ...{ signal, timing, random, log },
  })
  const text = { markdown: '', is_whole: false }
  let running: Promise<void> | undefined
  let isNew = false
  let wake = () => {}

  /** Resolves when the text has grown, or after so many milliseconds. */
  async function growth(milliseconds: number): Promise<void> {
    if (isNew || signal.aborted) return
    const waiting = new AbortController()
    const grown = new Promise<void>((resolve) => {
      wake = () => {
        waiting.abort()
        resolve()
      }
    })
    await (Number.isFinite(milliseconds) ? timing.wait(milliseconds, waiting.signal) : grown)
  }

  async function write(): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      isNew = false
      if (live.isPossible(text)) {
        const idle = await live.step(text)
        if (idle > 0) await growth(idle)
      } else if (text.is_whole) return messages.sendRest(text.markdown)
      else await growth(Number.POSITIVE_INFINITY)
    }
  }

  const end = () => {
    over.abort(options.signal.reason)
    wake()
  }
  if (options.signal.aborted) end()
  else options.signal.addEventListener('abort', end, { once: true })

  async function run(): Promise<void> {
    try {
      await write()
    } catch (error) {
      if (!signal.aborted) {
        const { reason, detail } = failureOf(error)
        log.warn({ reason, detail }, 'a reply was not delivered')
      }
      throw error
    } finally {
      options.signal.removeEventListener('abort', end)
    }
  }

  const start = () => {
    isNew = true
    wake()
    if (running) return running
    running = run()
    // Nobody may come to finish it; what went wrong is logged.
    running.catch(() => undefined)
    return running
  }

  return {
    show(markdown) {
      if (text.is_whole || signal.aborted || markdown.length <= text.markdown.length) return
      text.markdown = markdown
      start()
    },

    finish(markdown) {
      if (!text.is_whole) Object.assign(text, { markdown, is_whole: true })
      return start()
    },

    async stop() {
      over.abort(new DOMException('The writing was stopped.', 'AbortError'))
      wake()
      options.signal.removeEventListener('abort', end)
      // What it ended with is told to who called `finish`.
      await running?.catch(() => undefined)
    },
  }
}
