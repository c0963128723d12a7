import type { RawData, WebSocket } from 'ws'
import { AppError } from '../errors.ts'
import type { ErrorBody } from '../http/error-reply.ts'
import type { Validator } from '../schema.ts'
import { createTokenBucket, type Rate } from '../security/token-bucket.ts'
import type { DirectoryEntry } from './directory.ts'
import { type Frame, parseFrame } from './frames.ts'
import { BAD_FRAMES_IN_A_ROW, CLOSE } from './rules.ts'
import type { Connection, ConnectionHandler } from './socket.ts'

const FRAMES_WAITING = 64
/** Milliseconds that a peer which sends too much has to read the reason of the close. */
const FAREWELL_MS = 1000

/** The parts that one open WebSocket needs. */
interface ConnectionParts {
  /** Returns the fields of a frame, valid or not, that an error which it caused repeats. */
  repeatedOf: (frame: unknown) => Record<string, unknown>
  webSocket: WebSocket
  checkFrame: Validator<Frame>
  /** Throws if a frame that we send does not fit its schema. */
  checkSent?: (frame: Frame) => void
  explain: (error: unknown) => { status: number; body: ErrorBody }
  /** Runs the guards again and returns the new context. */
  runGuards: () => Promise<object>
  context: object
  accept: (connection: Connection<never>, request: { readonly context: object }) => ConnectionHandler<never>
  onClose: (entry: OpenConnection) => void
  /** Called when the peer is closed for sending too much. */
  onFlood: () => void
  /** The rate of frames that the peer may send; one more closes the connection. */
  frameRate: Rate
  /** Bytes that may wait to be sent; beyond, nothing is read from the peer until it has taken them. */
  maxBacklog: number
}

/** A connection as the server keeps it. */
export interface OpenConnection extends DirectoryEntry {
  /** Pings the peer, or drops it when it has been silent for longer than `patienceMs`. */
  keepAlive(now: number, patienceMs: number): void
  terminate(): void
}

/** Runs one WebSocket: frames one after the other, bad ones answered and counted, guards repeated when asked. */
export function openConnection(parts: ConnectionParts): OpenConnection {
  const { webSocket, explain, repeatedOf } = parts
  let { context } = parts
  let stale = false
  let badInARow = 0
  let lastHeard = performance.now()
  const waiting: (() => Promise<void>)[] = []
  let working = false
  const frames = createTokenBucket(parts.frameRate)
  let isFlooding = false

  /** Frames that arrived before are dropped. */
  const end = (code: number, reason: string) => {
    waiting.length = 0
    webSocket.close(code, reason)
    // The peer's own close frame shall be read.
    webSocket.resume()
  }
  const isBacklogged = () => webSocket.bufferedAmount > parts.maxBacklog
  /** Reads from the peer only while there is room for its requests and their answers. */
  const adjustReading = () => {
    if (isFlooding) return
    if (waiting.length < FRAMES_WAITING && !isBacklogged()) webSocket.resume()
    else if (webSocket.readyState === webSocket.OPEN) webSocket.pause()
  }
  const sendText = (text: string, flushed?: () => void) => {
    if (webSocket.readyState !== webSocket.OPEN) return flushed?.()
    webSocket.send(text, () => {
      if (webSocket.isPaused) {
        // A peer that takes its waiting frames is alive, though nothing is read from it.
        lastHeard = performance.now()
        adjustReading()
      }
      flushed?.()
    })
    if (isBacklogged()) adjustReading()
  }
  const sendError = (error: unknown, fields: Record<string, unknown> = {}) =>
    sendText(JSON.stringify({ type: 'error', ...fields, ...explain(error).body }))
  const connection: Connection<Frame> = {
    send(frame) {
      parts.checkSent?.(frame)
      sendText(JSON.stringify(frame))
    },
    sendText,
    sendError,
    close: end,
    get buffered() {
      return webSocket.bufferedAmount
    },
  }
  const entry: OpenConnection = {
    get context() {
      return context
    },
    close: end,
    recheck: () => {
      stale = true
    },
    keepAlive(now, patienceMs) {
      if (now - lastHeard <= patienceMs) webSocket.ping()
      else if (isBacklogged() && webSocket.readyState === webSocket.OPEN)
        end(CLOSE.tooSlow, 'reads too slowly')
      else webSocket.terminate()
    },
    terminate: () => webSocket.terminate(),
  }
  const request = {
    get context() {
      return context
    },
  }
  const accept = (): ConnectionHandler<never> | undefined => {
    try {
      const handler = parts.accept(connection as Connection<never>, request)
      if (typeof handler?.message === 'function') return handler
      throw new Error('the handler of a socket has to return { message } synchronously')
    } catch (error) {
      sendError(error)
      end(CLOSE.failed, 'could not be opened')
      return undefined
    }
  }
  const handler = accept()

  const handle = async (data: RawData, isBinary: boolean) => {
    let frame: Frame
    let received: unknown
    try {
      if (isBinary) throw new AppError('BAD_FRAME', { reason: 'binary' })
      received = parseFrame(data.toString())
      frame = parts.checkFrame(received)
      badInARow = 0
    } catch (error) {
      sendError(error, repeatedOf(received))
      badInARow += 1
      if (badInARow >= BAD_FRAMES_IN_A_ROW) end(CLOSE.badFrames, 'too many bad frames')
      return
    }
    if (!(await isStillAllowed(frame))) return
    try {
      await handler?.message(frame as never)
    } catch (error) {
      sendError(error, repeatedOf(frame))
    }
  }

  const isStillAllowed = async (frame: Frame) => {
    if (!stale) return true
    stale = false
    try {
      context = await parts.runGuards()
      return true
    } catch (error) {
      const { status, body } = explain(error)
      sendError(error, repeatedOf(frame))
      if (status >= 500) {
        // The check itself failed, e.g. because the database is unavailable: the next frame repeats it.
        stale = true
        return false
      }
      const ended = status === 401 || status === 403
      end(ended ? CLOSE.sessionEnded : CLOSE.badFrames, ended ? 'session ended' : body.code)
      return false
    }
  }

  const work = async () => {
    if (working) return
    working = true
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await next()
      if (webSocket.isPaused) adjustReading()
    }
    working = false
  }

  const release = async () => {
    try {
      await handler?.close?.()
    } catch (error) {
      explain(error)
    }
  }

  /** Counts a frame of whatever kind; false if it is one too many, or the connection is about to close. */
  const admit = () => {
    lastHeard = performance.now()
    if (webSocket.readyState !== webSocket.OPEN) return false
    if (frames.take() === 0) return true
    end(CLOSE.badFrames, 'too many frames')
    parts.onFlood()
    // Further frames of it are not even parsed.
    isFlooding = true
    webSocket.pause()
    setTimeout(() => webSocket.terminate(), FAREWELL_MS)
    return false
  }

  webSocket.on('message', (data, isBinary) => {
    if (!admit()) return
    waiting.push(() => handle(data, isBinary))
    if (waiting.length >= FRAMES_WAITING) adjustReading()
    void work()
  })
  webSocket.on('ping', admit)
  webSocket.on('pong', admit)
  webSocket.on('close', () => {
    waiting.length = 0
    parts.onClose(entry)
    void release()
  })
  // ws answers a violation of the protocol with the right close code; the close event follows.
  webSocket.on('error', () => webSocket.terminate())
  return entry
}
