import type { Readable, Writable } from 'node:stream'
import type { AnyMessage, SessionNotification, Stream } from '@agentclientprotocol/sdk'
import { RunnerFailure } from './errors.ts'
import type { Redaction } from './redaction.ts'

/** How much a runner may write in all, in bytes. */
const MAX_WRITTEN_BYTES = 256 * 1024 * 1024
/** How many of its requests are under way at a time before more are read. */
const MAX_REQUESTS = 16
/** Lines that are no messages: programs greet, or tell of a newer version of theirs. */
const MAX_STRAY_LINES = 20
const SHOWN_CHARACTERS = 200
const NEWLINE = 10

interface Message {
  jsonrpc: '2.0'
  id?: string | number
  method?: string
  params?: unknown
}

/** What is read from and written to a process. */
export interface MessagePipes {
  stdin: Writable
  stdout: Readable
}

/**
 * Makes the connection's stream of messages, one a line, over a process's pipes. What is no message is left out, as are
 * answers that nobody waits for; updates of sessions are given to `onUpdate` in their place among the messages. The stream
 * fails with a RunnerFailure where a message or all of them together are too long, or too much is no message.
 */
export function createMessageStream(
  { stdin, stdout }: MessagePipes,
  {
    maxBytes,
    redaction,
    onUpdate,
  }: { maxBytes: number; redaction: Redaction; onUpdate(update: SessionNotification): void },
): Stream {
  const asked = new Set<unknown>()
  let underWay = 0
  let goOn = () => {}

  /** What of the lines is for the connection. */
  async function* readMessages(): AsyncGenerator<AnyMessage> {
    let stray = 0
    for await (const line of readLines(stdout, maxBytes)) {
      const message = parseMessage(line, asked)
      if (!message) {
        stray += 1
        if (stray <= MAX_STRAY_LINES) continue
        const shown = JSON.stringify(redaction.head(line.toString(), SHOWN_CHARACTERS))
        throw new RunnerFailure(
          `wrote what is no message of the Agent Client Protocol, such as ${shown}, so it was ended`,
        )
      }
      if (message.method === undefined) asked.delete(message.id)
      else if (message.id !== undefined) underWay += 1
      else if (message.method === 'session/update') onUpdate(message.params as SessionNotification)
      // The connection would write on the server's own output of some that it cannot use.
      if (message.id === undefined && message.method !== '$/cancel_request') continue
      yield message as AnyMessage
      while (underWay >= MAX_REQUESTS)
        await new Promise<void>((resolve) => {
          goOn = resolve
        })
    }
  }

  return {
    readable: ReadableStream.from(readMessages()) as ReadableStream<AnyMessage>,
    writable: new WritableStream<AnyMessage>({
      write(message) {
        if ('method' in message) {
          if ('id' in message) asked.add(message.id)
        } else {
          underWay -= 1
          goOn()
        }
        return new Promise((resolve, reject) => {
          stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
        })
      },
    }),
  }
}

/** The lines of a stream that are not empty. */
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

/** A request, a notification, or the answer to what was asked; undefined for all else. */
function parseMessage(line: Buffer, asked: ReadonlySet<unknown>): Message | undefined {
  let message: Message & { result?: unknown; error?: unknown }
  try {
    message = JSON.parse(line.toString())
  } catch {
    // Whatever it is, it is not JSON.
    return undefined
  }
  if (typeof message !== 'object' || message === null || message.jsonrpc !== '2.0') return undefined
  const { id, method } = message
  if (method === undefined) return asked.has(id) ? message : undefined
  const isKnownId = id === undefined || typeof id === 'string' || typeof id === 'number'
  return typeof method === 'string' && isKnownId ? message : undefined
}
