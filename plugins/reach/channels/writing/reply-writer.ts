import type { ChannelCapabilities, JSONValue, Logger } from '#plugin-api'
import { type Connect, createSender, systemTiming, type Timing } from './calls.ts'
import { type Failure, toFailure } from './failure.ts'
import { createLiveWriting } from './live-writing.ts'
import { createReplyMessages, type WritingProgress } from './reply-messages.ts'

export type { WritingProgress } from './reply-messages.ts'

/** The options of a reply writer. */
interface ReplyWriterOptions {
  /** Returns the same connection while it lasts: on another connection, a live message is begun again. */
  connect: Connect
  capabilities: ChannelCapabilities
  target: JSONValue
  /** The key of the reply, from which the keys of its messages are derived. */
  key: string
  /** If false, only `finish` sends. */
  is_live: boolean
  /** The progress that an earlier process stored. */
  progress: WritingProgress
  /** Stores progress durably before the next call is made. An error ends the writing. */
  save(progress: WritingProgress): Promise<void>
  signal: AbortSignal
  log: Logger
  /** Called with each failure that is final. */
  onRefused(failure: Failure): void
  /** Ends a reply that was cut off because the platform takes no more messages, in Markdown. */
  cut_off_note?: string
  clock?: Timing
  random?: () => number
}

/**
 * Creates the writer of a reply. One call is under way at a time. If a process dies before it stores a step, the next
 * process repeats that step with the same key: this concerns at most one message.
 */
export function createReplyWriter(options: ReplyWriterOptions) {
  const { connect, capabilities, target, key, is_live, progress, save, log, onRefused, cut_off_note } =
    options
  const { clock: timing = systemTiming, random = Math.random } = options
  const over = new AbortController()
  const { signal } = over
  const sender = createSender({ connect, signal, log, onRefused, clock: timing, random })
  const messages = createReplyMessages({
    ...{ capabilities, target, key, begun: progress, save, sender, cut_off_note },
  })
  const live = createLiveWriting({
    ...{ capabilities, is_live, target, messages, connect },
    ...{ signal, timing, random, log, onRefused },
  })
  const text = { markdown: '', is_whole: false }
  let running: Promise<void> | undefined
  let isNew = false
  let wake = () => {}

  /** Resolves when the text has grown, or after this many milliseconds. */
  async function waitForGrowth(milliseconds: number): Promise<void> {
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
        if (idle > 0) await waitForGrowth(idle)
      } else if (text.is_whole) return messages.sendRest(text.markdown)
      else await waitForGrowth(Number.POSITIVE_INFINITY)
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
        const { reason, detail } = toFailure(error)
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
    // `finish` may never be called; the error is logged.
    running.catch(() => undefined)
    return running
  }

  return {
    /** Shows the whole reply so far, longer than before, when a change is due. Never throws, never waits. */
    show(markdown: string) {
      if (text.is_whole || signal.aborted || markdown.length <= text.markdown.length) return
      text.markdown = markdown
      start()
    },

    /** Delivers the complete reply; resolves when the platform has it. Throws an error that ended the writing. */
    finish(markdown: string) {
      if (!text.is_whole) Object.assign(text, { markdown, is_whole: true })
      return start()
    },

    /** Stops writing; resolves when no call is under way. A pending `finish` rejects. */
    async stop() {
      over.abort(new DOMException('The writing was stopped.', 'AbortError'))
      wake()
      options.signal.removeEventListener('abort', end)
      // The caller of `finish` receives the error.
      await running?.catch(() => undefined)
    },
  }
}
