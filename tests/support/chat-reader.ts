import type { ChatSocket, TestChat } from './chat.ts'
import {
  applyFrame,
  type ClientPage,
  type ClientPages,
  type ClientThread,
  openThread,
} from './chat-client.ts'
import type { TestFrame } from './socket.ts'

/** The longest time to wait for anything, in milliseconds. */
const PATIENCE_MS = 40_000

/** A client that has a thread open: its state, and the connection that its frames arrive on. */
export interface ThreadReader {
  name: string
  readonly thread: ClientThread
  /** The frames that have changed the thread, by seq. */
  readonly frames: Map<number, TestFrame>
  /** The current connection. */
  readonly socket: ChatSocket | undefined
  /** Takes a frame from any source. */
  take(frame: TestFrame): void
  /** Continues on a new connection, after `after` or the last seen frame. */
  connect(after?: number): Promise<void>
  /** Drops the connection like a network failure. */
  cut(): void
  /** Waits until the frames taken make this true. */
  until(isSo: () => boolean, what: string): Promise<void>
}

/** Reads all pages of a thread's history, newest first; older pages are read later. */
export async function readHistory(
  { history }: Pick<TestChat, 'history'>,
  thread_id: string,
  limit = 200,
): Promise<ClientPages> {
  const pages: [ClientPage, ...ClientPage[]] = [await history(thread_id, `?limit=${limit}`)]
  for (let page = pages[0]; page.has_more; pages.push(page))
    page = await history(thread_id, `?limit=${limit}&cursor=${page.next_cursor}`)
  return pages
}

/** Opens a thread from its history; faults of later frames are collected, not thrown. */
export function createReader(
  chat: Pick<TestChat, 'connect'>,
  { name, pages, tell: tellAll }: { name: string; pages: ClientPages; tell: (fault: string) => void },
): ThreadReader {
  const thread = openThread(pages)
  const tell = (fault: string) => tellAll(`${name}: ${fault}`)
  const frames = new Map<number, TestFrame>()
  const waiting = new Set<() => void>()
  let socket: ChatSocket | undefined

  /** The first frame of a subscription must describe the same state as the thread at that seq. */
  const checkStatus = ({ active, paused }: TestFrame) => {
    if (paused !== (thread.hitl_pending !== null)) tell(`paused ${paused} at ${thread.last_seq}`)
    // A turn that has the thread is active even before its first frame.
    if (!active && thread.turn_active) tell(`active ${active} at ${thread.last_seq}`)
  }

  const take = (frame: TestFrame) => {
    const { seq } = frame
    const earlier = seq && frames.get(seq)
    if (earlier && JSON.stringify(earlier) !== JSON.stringify(frame))
      tell(`${JSON.stringify(earlier)} came again as ${JSON.stringify(frame)}`)
    try {
      applyFrame(thread, frame)
    } catch (error) {
      tell(`${(error as Error).stack}: ${JSON.stringify(frame)}`)
    }
    if (frame.type === 'turn_status' && frame.last_seq === thread.last_seq) checkStatus(frame)
    if (seq && !earlier && seq === thread.last_seq) frames.set(seq, frame)
    for (const look of waiting) look()
  }

  const reader: ThreadReader = {
    name,
    thread,
    frames,
    take,
    get socket() {
      return socket
    },
    async connect(after) {
      reader.cut()
      const opened = await chat.connect()
      socket = opened
      opened.webSocket.on('message', (data) => {
        if (opened === socket) take(JSON.parse(data.toString()))
      })
      opened.send({ type: 'subscribe', thread_id: thread.thread_id, after_seq: after ?? thread.last_seq })
    },
    cut() {
      socket?.webSocket.terminate()
      socket = undefined
    },
    until: (isSo, what) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!isSo()) return
          clearTimeout(deadline)
          waiting.delete(look)
          resolve()
        }
        const deadline = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`${name} waits in vain for ${what} at ${thread.last_seq}`))
        }, PATIENCE_MS)
        waiting.add(look)
        look()
      }),
  }
  return reader
}
