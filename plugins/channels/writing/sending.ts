import {
  type ChannelConnection,
  ChannelFailure,
  type JSONValue,
  type OutboundFile,
  type OutboundMessage,
} from '#kernel'
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
  /** Does nothing where the kind cannot change what it has sent. */
  settle(target: JSONValue, sent: JSONValue, text: string): Promise<void>
  /** Throws a `ChannelFailure` where the kind takes no files. */
  sendFile(target: JSONValue, file: OutboundFile): Promise<void>
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
    settle: (target, sent, text) =>
      repeat(async (connection, ending) => connection.settle?.(target, sent, text, ending)),
    sendFile: (target, file) =>
      repeat(async (connection, ending) => {
        if (!connection.sendFile) throw new ChannelFailure('unsupported', 'This platform takes no files.')
        await connection.sendFile(target, file, ending)
      }),
  }
}
