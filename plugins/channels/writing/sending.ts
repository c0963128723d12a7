import type { ChannelConnection, JSONValue, OutboundMessage } from '#plugin-api'
import { attempt } from './attempt.ts'
import { toFailure } from './failure.ts'
import { createBackOff } from './patience.ts'
import { systemTiming, type Timing } from './timing.ts'

/** Resolves with the channel's connection once it exists; rejects if the channel is closed or the signal aborted. */
export type Connect = (signal: AbortSignal) => Promise<ChannelConnection>

/** Repeats calls to a channel until they succeed; throws if a retry cannot help or after about an hour. */
export interface Sender {
  /** Repeats a call on the current connection; throws the error of the last attempt. */
  repeat<Result>(
    call: (connection: ChannelConnection, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>
  send(target: JSONValue, message: OutboundMessage): Promise<JSONValue>
}

/** Creates a sender. Concurrent calls are independent of each other. */
export function createSender({
  connect,
  signal,
  clock = systemTiming,
  random = Math.random,
}: {
  connect: Connect
  signal: AbortSignal
  clock?: Timing
  random?: () => number
}): Sender {
  const repeat: Sender['repeat'] = async (call) => {
    const backOff = createBackOff({ timing: clock, random })
    for (;;) {
      signal.throwIfAborted()
      const connection = await connect(signal)
      try {
        return await attempt((abort) => call(connection, abort), { signal, timing: clock })
      } catch (error) {
        signal.throwIfAborted()
        const pause = backOff.pauseAfter(toFailure(error))
        if (pause === undefined) throw error
        await clock.wait(pause, signal)
      }
    }
  }

  return {
    repeat,
    send: (target, message) => repeat((connection, abort) => connection.send(target, message, abort)),
  }
}
