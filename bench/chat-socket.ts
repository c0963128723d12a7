import { once } from 'node:events'
import { WebSocket } from 'ws'

/** The reply to every turn of the benchmarks: 50 tokens of four characters. */
export const tokens = Array.from({ length: 50 }, (_, index) => ` w${String(index).padStart(2, '0')}`)

/** The number of characters of the usual reply. */
export const replyLength = tokens.join('').length

/** Returns the number of tokens that a text asks for, as "200 words". */
export function wordsAsked(text: string): number | undefined {
  const words = /(\d+) words/.exec(text)?.[1]
  return words === undefined ? undefined : Number(words)
}

/** A client connection that runs one turn at a time, all in one thread unless it leaves that. */
export interface ChatSocket {
  /** Begins a new thread with the next turn. */
  leaveThread(): void
  /** Runs a turn and returns the milliseconds until its first text; rejects unless the turn ends with `done`. */
  turn(text: string): Promise<number>
  /** The frames with text that have come, and their tokens. */
  readonly received: { texts: number; tokens: number }
  threadId(): string | undefined
  /** Reads the thread of another socket from now on. */
  follow(thread_id: string): void
  isOpen(): boolean
  close(): Promise<unknown>
}

interface Frame {
  type: string
  thread_id?: string
  content?: string
  code?: string
  message?: string
}

/** Opens a chat connection to the service or the relay, which use the same frames. Default: a new thread. */
export async function openChatSocket(url: string, thread_id?: string): Promise<ChatSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  await once(socket, 'open')
  const received = { texts: 0, tokens: 0 }
  let threadId = thread_id
  let turn:
    | { sentAt: number; firstMs: number; length: number; expected: number; end(error?: Error): void }
    | undefined

  socket.on('message', (data) => {
    const frame: Frame = JSON.parse(String(data))
    if (frame.thread_id) threadId = frame.thread_id
    const length = frame.type === 'content' ? (frame.content?.length ?? 0) : 0
    if (length > 0) received.texts += 1
    received.tokens += length / tokens[0]!.length
    if (!turn) return
    if (frame.type === 'content') {
      if (turn.length === 0) turn.firstMs = performance.now() - turn.sentAt
      turn.length += length
    } else if (frame.type === 'done') {
      const complete = turn.length === turn.expected
      turn.end(
        complete ? undefined : new Error(`a turn brought ${turn.length} of ${turn.expected} characters`),
      )
    } else if (frame.type === 'error')
      turn.end(new Error(`a turn ended with ${frame.code}: ${frame.message}`))
  })
  socket.on('error', (error) => turn?.end(error))
  socket.on('close', (code) => turn?.end(new Error(`the socket was closed with ${code} during a turn`)))

  return {
    received,
    threadId: () => threadId,
    follow: (thread_id) => socket.send(JSON.stringify({ type: 'subscribe', thread_id })),
    leaveThread() {
      threadId = undefined
    },
    isOpen: () => socket.readyState === WebSocket.OPEN,
    close() {
      socket.close()
      return once(socket, 'close')
    },
    turn: (text) =>
      new Promise((resolve, reject) => {
        const current = {
          sentAt: performance.now(),
          firstMs: Number.NaN,
          length: 0,
          expected: (wordsAsked(text) ?? tokens.length) * tokens[0]!.length,
          end(error?: Error) {
            turn = undefined
            if (error) reject(error)
            else resolve(current.firstMs)
          },
        }
        turn = current
        socket.send(JSON.stringify({ type: 'user_turn', text, thread_id: threadId }))
      }),
  }
}
