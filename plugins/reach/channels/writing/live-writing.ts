import {
  type ChannelCapabilities,
  type ChannelConnection,
  ChannelFailure,
  type JSONValue,
  type LiveMessage,
  type Logger,
} from '#plugin-api'
import { attempt, type Connect, createBackOff, isTransient, logRepetition, type Timing } from './calls.ts'
import { createCutter } from './cutter.ts'
import { type Failure, toFailure } from './failure.ts'
import { type LiveProgress, type ReplyMessages, readLive } from './reply-messages.ts'

/** The known text of a reply that is being written. */
interface ReplyText {
  readonly markdown: string
  readonly is_whole: boolean
}

/** A live message with the connection that can edit it. */
interface OpenMessage {
  message: LiveMessage
  connection: ChannelConnection
  shown: string
}

/** The next change of the live message. */
interface Plan {
  text: string
  end: number
  /** True if the message ends with this change; then it covers the text up to `end`. */
  isEnd: boolean
}

/** Interval for examining a growing text for more to show, in milliseconds. */
const EXAMINE_MS = 200

/** Returns the time before the edit limit at which a message is ended: enough for a pause and a call. */
const computeMargin = (max_ms: number, interval_ms: number) => Math.min(max_ms / 4, interval_ms + 5000)

/** Creates the live writing of one reply. */
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
  onRefused,
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
  /** Called when a live message is given up. */
  onRefused(failure: Failure): void
}) {
  const { dialect, length_unit, live: limits = { interval_ms: 0 } } = capabilities
  const { interval_ms, append_only = false, max_ms = Number.POSITIVE_INFINITY } = limits
  const max_length = limits.max_length ?? capabilities.max_length
  const cutter = createCutter({ dialect, length_unit, max_length, append_only })
  const backOff = createBackOff({ timing, random })
  let open: OpenMessage | undefined
  /** The last change of a message. It is repeated unchanged after a failure, as the platform may have applied it. */
  let ending: Plan | undefined
  /** True if a message may exist although the call that began it failed. */
  let isUncertain = false
  let isGivenUp = false
  let isFailing = false
  // An earlier process may have made a change just now.
  let nextCall = messages.progress.live === null ? 0 : timing.now() + interval_ms
  let nextExamination = 0

  const begun = () => readLive(messages.progress)
  const hasBegun = () => isUncertain || begun() !== null
  const computeTimeLeft = (live: LiveProgress | null) =>
    live
      ? live.begun_at + max_ms - computeMargin(max_ms, interval_ms) - timing.now()
      : Number.POSITIVE_INFINITY

  /** Plans the text to show and whether the message ends with it. */
  function plan({ markdown, is_whole }: ReplyText): Plan {
    if (ending) return ending
    const { covered } = messages.progress
    const decided = begun()?.end
    // The text up to the decided end is not known yet.
    if (decided !== undefined && decided > markdown.length && !is_whole)
      return { text: '', end: covered, isEnd: false }
    const piece =
      decided === undefined
        ? cutter.next(markdown, covered, { is_whole })
        : cutter.upTo(markdown, covered, Math.min(decided, markdown.length))
    const isEnd = is_whole || decided !== undefined || !piece.is_last
    return { text: isEnd ? piece.text : piece.shown, end: piece.end, isEnd }
  }

  /** Decides the end of a message that cannot be edited for much longer. */
  async function endInTime({ markdown, is_whole }: ReplyText): Promise<void> {
    const live = begun()
    if (!live || is_whole || ending || live.end !== undefined || computeTimeLeft(live) > 0) return
    const end = cutter.earlyEnd(markdown, messages.progress.covered)
    // Stored before it is shown: another process, which knows more of the text, must end the message there too.
    if (end > messages.progress.covered) await messages.advance({ live: { ...live, end } })
  }

  /**
   * Adds the end of a message that can only be extended. It is stored before it is shown: another process, which knows
   * more of the text, might find a better offset before what is shown.
   */
  function withEnd(live: LiveProgress, { end, isEnd }: Plan, { markdown }: ReplyText): LiveProgress {
    if (!append_only || !isEnd || live.end !== undefined) return live
    return end > messages.progress.covered && end < markdown.length ? { ...live, end } : live
  }

  /** Stores the end that is planned for the live message; returns true if it was not stored yet. */
  async function storeEnd(planned: Plan, source: ReplyText): Promise<boolean> {
    const live = begun()
    if (!live || ending) return false
    const ended = withEnd(live, planned, source)
    if (ended === live) return false
    await messages.advance({ live: ended })
    return true
  }

  const isOpenOn = (connection: ChannelConnection) => open?.connection === connection

  async function begin(connection: ChannelConnection, text: string): Promise<LiveProgress> {
    const live = begun()
    if (!connection.live || live?.reference === null)
      throw new ChannelFailure('unsupported', 'The live message cannot be continued.')
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
    const failure = toFailure(error)
    const pause = backOff.pauseAfter(failure)
    // The platform may have made the change all the same.
    nextCall = timing.now() + interval_ms
    if (pause !== undefined) {
      if (!isFailing) logRepetition(log, failure)
      isFailing = true
      isUncertain ||= isBeginning && failure.reason !== 'rate_limited'
      await timing.wait(pause, signal)
      return
    }
    onRefused(failure)
    if (isTransient(failure)) throw error
    log.info({ reason: failure.reason, detail: failure.detail }, 'a live message was given up')
    const { sent } = messages.progress
    const isCounted = hasBegun()
    isGivenUp = true
    open = undefined
    // The next message repeats the text of this one, and needs another key so that it is not mistaken for this one.
    await messages.advance({ sent: isCounted ? sent + 1 : sent, live: null })
  }

  return {
    /** True if a live message exists or may be begun. */
    isPossible({ is_whole }: ReplyText): boolean {
      if (isGivenUp) return false
      if (hasBegun()) return is_live || is_whole
      // The last allowed message is reserved for the rest of the reply.
      return is_live && !is_whole && capabilities.live !== undefined && messages.left >= 2
    },

    /**
     * Makes the next call when it is due: begins a message, shows more of it, or finishes it. Returns the time after
     * which to call again unless the text grows before, in milliseconds. Throws an error that ends the writing.
     */
    async step(source: ReplyText): Promise<number> {
      const due = source.is_whole ? nextCall : Math.max(nextCall, nextExamination)
      if (timing.now() < due) {
        await timing.wait(due - timing.now(), signal)
        return 0
      }
      const connection = await connect(signal)
      await endInTime(source)
      const planned = plan(source)
      if (await storeEnd(planned, source)) return 0
      const { end, isEnd } = planned
      if (planned.text.trim() === '' && isEnd && (!hasBegun() || end < source.markdown.length)) {
        // This part renders to nothing, so the message is used for the part after it.
        const live = begun()
        const undecided = live && { reference: live.reference, begun_at: live.begun_at }
        await messages.advance({ covered: end, live: undecided })
        return 0
      }
      // A message that was begun is not made empty again. Its end does not depend on what this process alone has shown.
      const text = planned.text.trim() === '' ? (isEnd ? '…' : (open?.shown ?? '')) : planned.text
      if (!isEnd && (text === '' || (isOpenOn(connection) && text === open!.shown))) {
        nextExamination = timing.now() + EXAMINE_MS
        return Math.max(EXAMINE_MS, computeTimeLeft(begun()))
      }
      if (isEnd) ending = { text, end, isEnd }
      const isBeginning = !isOpenOn(connection)
      let live: LiveProgress | undefined
      try {
        if (isBeginning) live = await begin(connection, text)
        else await show(text, isEnd)
      } catch (error) {
        await onFailure(error, isBeginning)
        return 0
      }
      backOff.reset()
      isFailing = false
      nextCall = timing.now() + interval_ms
      if (live) await messages.advance({ live: withEnd(live, planned, source) })
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
