import type { Readable, Writable } from 'node:stream'
import type { AnyMessage, SessionNotification, Stream } from '@agentclientprotocol/sdk'
import { RunnerFailure } from './errors.ts'
import { parseMessage } from './loose-message.ts'
import type { Redaction } from './runner-env.ts'

/** The most bytes that a runner may write in all. */
const MAX_WRITTEN_BYTES = 256 * 1024 * 1024
/** The most requests of a runner that are open before the next message is read. */
const MAX_REQUESTS = 16
/** The most lines that are not messages: programs print greetings, or announce a new version. */
const MAX_STRAY_LINES = 20
const MAX_QUOTED_CHARS = 200
const NEWLINE = 10

/** The pipes of a process. */
export interface MessagePipes {
  stdin: Writable
  stdout: Readable
}

/**
 * Creates the connection's stream of messages, one per line, over the pipes of a process. Lines that are not messages
 * and answers to unknown requests are skipped; session updates go to `onUpdate`, in order with the messages. The stream
 * fails with a RunnerFailure if a message or the whole output is too long, or if too many lines are not messages.
 */
export function createMessageStream(
  { stdin, stdout }: MessagePipes,
  {
    maxBytes,
    redaction,
    onUpdate,
  }: { maxBytes: number; redaction: Redaction; onUpdate(update: SessionNotification): void },
): Stream {
  const openRequestIds = new Set<unknown>()
  let openRequests = 0
  let resume = () => {}

  /** Yields the messages that are for the connection. */
  async function* readMessages(): AsyncGenerator<AnyMessage> {
    let stray = 0
    for await (const line of readLines(stdout, maxBytes)) {
      const message = parseMessage(line, openRequestIds)
      if (!message) {
        stray += 1
        if (stray <= MAX_STRAY_LINES) continue
        const quoted = JSON.stringify(redaction.head(line.toString(), MAX_QUOTED_CHARS))
        throw new RunnerFailure(
          `wrote lines that are not messages of the Agent Client Protocol, such as ${quoted}, so it was ended`,
        )
      }
      if (message.method === undefined) openRequestIds.delete(message.id)
      else if (message.id !== undefined) openRequests += 1
      else if (message.method === 'session/update') onUpdate(message.params as SessionNotification)
      // For some notifications that it does not know, the connection would write to the server's own output.
      if (message.id === undefined && message.method !== '$/cancel_request') continue
      yield message as AnyMessage
      while (openRequests >= MAX_REQUESTS)
        await new Promise<void>((resolve) => {
          resume = resolve
        })
    }
  }

  return {
    readable: ReadableStream.from(readMessages()) as ReadableStream<AnyMessage>,
    writable: new WritableStream<AnyMessage>({
      write(message) {
        if ('method' in message) {
          if ('id' in message) openRequestIds.add(message.id)
        } else {
          openRequests -= 1
          resume()
        }
        return new Promise((resolve, reject) => {
          stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
        })
      },
    }),
  }
}

/** Yields the lines of a stream that are not empty. */
async function* readLines(stdout: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let length = 0
  let room = MAX_WRITTEN_BYTES
  const add = (piece: Buffer) => {
    length += piece.length
    if (length > maxBytes)
      throw new RunnerFailure(`sent a message of more than ${maxBytes} bytes, so it was ended`)
    if (piece.length > 0) pieces.push(piece)
  }
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    room -= chunk.length
    if (room < 0)
      throw new RunnerFailure(`wrote more than ${MAX_WRITTEN_BYTES / 1024 / 1024} MiB, so it was ended`)
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end))
      const line = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
      pieces = []
      length = 0
      start = end + 1
      if (line.length > 0) yield line
    }
    add(chunk.subarray(start))
  }
}
