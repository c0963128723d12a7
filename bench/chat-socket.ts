import { once } from 'node:events'
import { WebSocket } from 'ws'

/** The reply to every turn of the benchmarks: 50 tokens of four characters. */
export const tokens = Array.from({ length: 50 }, (_, index) => ` w${String(index).padStart(2, '0')}`)

/** The number of characters that a client must receive in a turn. */
export const replyLength = tokens.join('').length

/** A client connection that runs one turn at a time, all in one thread unless it leaves that. */
export interface ChatSocket {
  /** Begins a new thread with the next turn. */
  leaveThread(): void
  /** Runs a turn and returns the milliseconds until its first text; rejects unless the turn ends with `done`. */
  turn(text: string): Promise<number>
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
  let threadId = thread_id
  let turn: { sentAt: number; firstMs: number; length: number; end(error?: Error): void } | undefined

  socket.on('message', (data) => {
    const frame: Frame = JSON.parse(String(data))
    if (frame.thread_id) threadId = frame.thread_id
    if (!turn) return
    if (frame.type === 'content') {
      if (turn.length === 0) turn.firstMs = performance.now() - turn.sentAt
      turn.length += frame.content?.length ?? 0
    } else if (frame.type === 'done') {
      const complete = turn.length === replyLength
      turn.end(complete ? undefined : new Error(`a turn brought ${turn.length} of ${replyLength} characters`))
    } else if (frame.type === 'error')
      turn.end(new Error(`a turn ended with ${frame.code}: ${frame.message}`))
  })
  socket.on('error', (error) => turn?.end(error))
  socket.on('close', (code) => turn?.end(new Error(`the socket was closed with ${code} during a turn`)))

  return {
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
