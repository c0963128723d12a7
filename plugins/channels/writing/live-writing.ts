import type { Logger } from '#kernel'
import {
  type ChannelCapabilities,
  type ChannelConnection,
  ChannelFailure,
  type JSONValue,
  type LiveMessage,
} from '#plugin-api'
import { attempt } from './attempt.ts'
import { createCutter } from './cutter.ts'
import { failureOf } from './failure.ts'
import { createPatience, isHelpedByTime } from './patience.ts'
import { type LiveProgress, liveIn, type ReplyMessages } from './reply-messages.ts'
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
}

/** What is to be done next. */
interface Plan {
  text: string
  end: number
  /** Whether the message ends with it, where the text is covered up to `end`. */
  isEnd: boolean
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
  let ending: Plan | undefined
  /** Whether a message may have been begun, though nobody has said so. */
  let isUncertain = false
  let isGivenUp = false
  // An earlier process may have made a change just now.
  let nextCall = messages.progress.live === null ? 0 : timing.now() + interval_ms
  let nextLook = 0

  const begun = () => liveIn(messages.progress)
  const hasBegun = () => isUncertain || begun() !== null
  const timeLeft = (live: LiveProgress | null) =>
    live ? live.begun_at + max_ms - marginOf(max_ms, interval_ms) - timing.now() : Number.POSITIVE_INFINITY

  /** What is to be shown, and whether the message ends with it. */
  function plan({ markdown, is_whole }: ReplyText): Plan {
    if (ending) return ending
    const { covered } = messages.progress
    const decided = begun()?.end
    // It is not known yet what the message ends with.
    if (decided !== undefined && decided > markdown.length && !is_whole)
      return { text: '', end: covered, isEnd: false }
    const piece =
      decided === undefined
        ? cutter.next(markdown, covered, { is_whole })
        : cutter.upTo(markdown, covered, Math.min(decided, markdown.length))
    const isEnd = is_whole || decided !== undefined || !piece.is_last
    return { text: isEnd ? piece.text : piece.shown, end: piece.end, isEnd }
  }

  /** Decides where a message ends that may not be changed for much longer. */
  async function endInTime({ markdown, is_whole }: ReplyText): Promise<void> {
    const live = begun()
    if (!live || is_whole || ending || live.end !== undefined || timeLeft(live) > 0) return
    const end = cutter.earlyEnd(markdown, messages.progress.covered)
    // Stored before anybody sees it: another process, which knows more of the text, must end it there too.
    if (end > messages.progress.covered) await messages.advance({ live: { ...live, end } })
  }

  const isIn = (connection: ChannelConnection) => open?.connection === connection

  async function begin(connection: ChannelConnection, text: string): Promise<LiveProgress> {
    const live = begun()
    if (!connection.live || live?.reference === null)
      throw new ChannelFailure('unsupported', 'The live message cannot be gone on with.')
    const begun_at = timing.now()
    const call = (ending: AbortSignal) =>
      connection.live!(target, { text, key: messages.key }, ending, ...(live ? [live.reference] : []))
    const message = await attempt(call, { signal, timing })
    open = { message, connection, shown: text }
    return { begun_at, ...live, reference: message.reference }
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
    isPossible({ is_whole }) {
      if (isGivenUp) return false
      if (hasBegun()) return is_live || is_whole
      // The last message is kept for what is left in the end.
      return is_live && !is_whole && capabilities.live !== undefined && messages.left >= 2
    },

    async step(source) {
      const due = source.is_whole ? nextCall : Math.max(nextCall, nextLook)
      if (timing.now() < due) {
        await timing.wait(due - timing.now(), signal)
        return 0
      }
      const connection = await connect(signal)
      await endInTime(source)
      const planned = plan(source)
      const { end, isEnd } = planned
      if (planned.text.trim() === '' && isEnd && (!hasBegun() || end < source.markdown.length)) {
        // It shows nothing: the message is that of what follows.
        const live = begun()
        const undecided = live && { reference: live.reference, begun_at: live.begun_at }
        await messages.advance({ covered: end, live: undecided })
        return 0
      }
      // A message that was begun is not emptied again.
      const text = planned.text.trim() === '' ? (open?.shown ?? '') : planned.text
      if (!isEnd && (text === '' || (isIn(connection) && text === open!.shown))) {
        nextLook = timing.now() + LOOK_MS
        return Math.max(LOOK_MS, timeLeft(begun()))
      }
      if (isEnd) ending = { text: text || '…', end, isEnd }
      const isBeginning = !isIn(connection)
      let live: LiveProgress | undefined
      try {
        if (isBeginning) live = await begin(connection, text || '…')
        else await show(text || '…', isEnd)
      } catch (error) {
        await onFailure(error, isBeginning)
        return 0
      }
      patience.renew()
      nextCall = timing.now() + interval_ms
      if (live) await messages.advance({ live })
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
