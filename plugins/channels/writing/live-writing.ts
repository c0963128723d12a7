import {
  type ChannelCapabilities,
  type ChannelConnection,
  ChannelFailure,
  type JSONValue,
  type LiveMessage,
  type Logger,
} from '#kernel'
import { attempt } from './attempt.ts'
import { createCutter } from './cutter.ts'
import { failureOf } from './failure.ts'
import { createPatience, isHelpedByTime } from './patience.ts'
import type { ReplyMessages } from './reply-messages.ts'
import type { Connect } from './sending.ts'
import type { Timing } from './timing.ts'

/** A reply that is still being written, as far as it is known. */
export interface ReplyText {
  readonly markdown: string
  readonly is_whole: boolean
}

/** Writes a reply in messages that change while it grows. */
export interface LiveWriting {
  /** Whether a live message has been begun, or may be. */
  isPossible(text: ReplyText): boolean
  /**
   * Makes one call, as soon as it may be made: begins a message, shows more of it, or ends it. Gives for how long there is
   * nothing to do unless the text grows, in milliseconds. Throws what ends the writing.
   */
  step(text: ReplyText): Promise<number>
}

/** A live message on the connection that it can be changed with. */
interface OpenMessage {
  message: LiveMessage
  connection: ChannelConnection
  shown: string
  /** When it must be ended. */
  until: number
}

/** How often it is looked whether a text that has grown shows more, in milliseconds. */
const LOOK_MS = 200

/** How long before it may not be changed any more a message is ended: enough for a pause and a call. */
const marginOf = (max_ms: number, interval_ms: number) => Math.min(max_ms / 4, interval_ms + 5000)

/** Makes the live side of writing one reply. */
export function createLiveWriting({
  capabilities,
  is_live,
  target,
  messages,
  connect,
  signal,
  timing,
  random,
  log,
}: {
  capabilities: ChannelCapabilities
  is_live: boolean
  target: JSONValue
  messages: ReplyMessages
  connect: Connect
  signal: AbortSignal
  timing: Timing
  random: () => number
  log: Logger
}): LiveWriting {
  const { dialect, length_unit, live: limits = { interval_ms: 0 } } = capabilities
  const { interval_ms, append_only = false, max_ms = Number.POSITIVE_INFINITY } = limits
  const max_length = limits.max_length ?? capabilities.max_length
  const cutter = createCutter({ dialect, length_unit, max_length, append_only })
  const patience = createPatience({ timing, random })
  let open: OpenMessage | undefined
  /** What a message ends with; it keeps to that, since nobody knows whether the platform has it already. */
  let ending: { text: string; end: number } | undefined
  let isUncertain = false
  let isGivenUp = false
  // An earlier process may have made a change just now.
  let nextCall = messages.progress.live === null ? 0 : timing.now() + interval_ms
  let nextLook = 0

  const hasBegun = () => open !== undefined || isUncertain || messages.progress.live !== null

  /** What is to be shown, and whether the message ends with it. */
  function plan({ markdown, is_whole }: ReplyText): { text: string; end: number; isEnd: boolean } {
    if (ending) return { ...ending, isEnd: true }
    const { covered } = messages.progress
    const isOld = open !== undefined && timing.now() >= open.until
    const piece =
      isOld && !is_whole ? cutter.early(markdown, covered) : cutter.next(markdown, covered, { is_whole })
    const isEnd = is_whole || isOld || !piece.is_last
    return { text: isEnd ? piece.text : piece.shown, end: piece.end, isEnd }
  }

  const isIn = (connection: ChannelConnection) => open?.connection === connection

  async function begin(connection: ChannelConnection, text: string): Promise<void> {
    const reference = open ? open.message.reference : messages.progress.live
    if (!connection.live || (open && reference === null))
      throw new ChannelFailure('unsupported', 'The live message cannot be gone on with.')
    const until = open?.until ?? timing.now() + max_ms - marginOf(max_ms, interval_ms)
    const begun = reference === null ? undefined : reference
    const outbound = { text, key: messages.key }
    const message = await attempt((ending) => connection.live!(target, outbound, ending, begun), {
      signal,
      timing,
    })
    open = { message, connection, shown: text, until }
  }

  async function show(text: string, isEnd: boolean): Promise<void> {
    const { message } = open!
    await attempt((ending) => (isEnd ? message.finish(text, ending) : message.update(text, ending)), {
      signal,
      timing,
    })
    open!.shown = text
  }

  async function onFailure(error: unknown, isBeginning: boolean): Promise<void> {
    signal.throwIfAborted()
    const failure = failureOf(error)
    const pause = patience.pauseAfter(failure)
    // It may have been done all the same.
    nextCall = timing.now() + interval_ms
    if (pause !== undefined) {
      isUncertain ||= isBeginning && failure.reason !== 'rate_limited'
      await timing.wait(pause, signal)
      return
    }
    if (isHelpedByTime(failure)) throw error
    log.info({ reason: failure.reason, detail: failure.detail }, 'a live message was given up')
    const { sent } = messages.progress
    const isCounted = hasBegun()
    isGivenUp = true
    open = undefined
    // What it has shown comes again in another message, which is not to be taken for this one.
    await messages.advance({ sent: isCounted ? sent + 1 : sent, live: null })
  }

  return {
    isPossible: ({ is_whole }) =>
      !isGivenUp && (hasBegun() || (is_live && !is_whole && !!capabilities.live && messages.left >= 2)),

    async step(source) {
      const due = source.is_whole ? nextCall : Math.max(nextCall, nextLook)
      if (timing.now() < due) {
        await timing.wait(due - timing.now(), signal)
        return 0
      }
      const connection = await connect(signal)
      const planned = plan(source)
      const { end, isEnd } = planned
      if (planned.text.trim() === '' && isEnd && !hasBegun()) {
        await messages.advance({ covered: end })
        return 0
      }
      // A message that was begun is not emptied again.
      const text = planned.text.trim() === '' ? (open?.shown ?? '') : planned.text
      if (!isEnd && (text === '' || (isIn(connection) && text === open!.shown))) {
        nextLook = timing.now() + LOOK_MS
        return open ? Math.max(1, open.until - timing.now()) : Number.POSITIVE_INFINITY
      }
      if (isEnd) ending = { text: text || '…', end }
      const isBeginning = !isIn(connection)
      try {
        if (isBeginning) await begin(connection, text || '…')
        else await show(text, isEnd)
      } catch (error) {
        await onFailure(error, isBeginning)
        return 0
      }
      patience.renew()
      nextCall = timing.now() + interval_ms
      if (isBeginning) await messages.advance({ live: open!.message.reference })
      else if (isEnd) {
        open = undefined
        ending = undefined
        isUncertain = false
        await messages.advance({ sent: messages.progress.sent + 1, covered: end, live: null })
      }
      return 0
    },
  }
}
