import type { ChannelConnection, JSONValue, OutboundMessage } from '#plugin-api'
import { attempt } from './attempt.ts'
import { failureOf } from './failure.ts'
import { createPatience } from './patience.ts'
import { systemTiming, type Timing } from './timing.ts'

/** Resolves with the channel's connection when there is one; rejects where there will be none, or the signal is aborted. */
export type Connect = (signal: AbortSignal) => Promise<ChannelConnection>

/** Makes calls to a channel until they succeed, and gives up where that cannot help or after about an hour. */
export interface Sender {
  /** Makes any call of a connection, again and again; throws what the last attempt threw. */
  repeat<Result>(
    call: (connection: ChannelConnection, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>
  send(target: JSONValue, message: OutboundMessage): Promise<JSONValue>
}

/** Makes a sender. Calls that are made at the same time know nothing of each other. */
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
    const patience = createPatience({ timing: clock, random })
    for (;;) {
      signal.throwIfAborted()
      const connection = await connect(signal)
      try {
        return await attempt((ending) => call(connection, ending), { signal, timing: clock })
      } catch (error) {
        signal.throwIfAborted()
        const pause = patience.pauseAfter(failureOf(error))
        if (pause === undefined) throw error
        await clock.wait(pause, signal)
      }
    }
  }

  return {
    repeat,
    send: (target, message) => repeat((connection, ending) => connection.send(target, message, ending)),
  }
}
