import type { RawData, WebSocket } from 'ws'
import type { Connection, ConnectionHandler } from '../contract/socket.ts'
import { AppError } from '../errors.ts'
import type { ErrorReply } from '../http/error-reply.ts'
import type { Validator } from '../schema.ts'
import { type Rate, TokenBucket } from '../security/token-bucket.ts'
import { BAD_FRAMES_IN_A_ROW, CLOSE, type DirectoryEntry } from './directory.ts'
import { type Frame, parseFrame } from './frames.ts'

const FRAMES_WAITING = 64
/** Milliseconds that a peer which sends too much has to read the reason of the close. */
const FAREWELL_MS = 1000

/** The rules of a declared socket, which all of its connections share. */
export interface SocketRules {
  /** Returns the fields of a frame, valid or not, that an error which it caused repeats. */
  repeatedOf: (frame: unknown) => Record<string, unknown>
  checkFrame: Validator<Frame>
  /** Throws if a frame that we send does not fit its schema. */
  checkSent?: (frame: Frame) => void
  /** The rate of frames that the peer may send; one more closes the connection. */
  frameRate: Rate
  /** Bytes that may wait to be sent; beyond, nothing is read from the peer until it has taken them. */
  maxBacklog: number
}

/** The other side of one connection. */
interface Peer {
  explain(error: unknown): ErrorReply
  /** Runs the guards again and returns the new context. */
  runGuards(): Promise<object>
  accept(connection: OpenConnection): ConnectionHandler<never>
  onClose(connection: OpenConnection): void
  /** Called when the peer is closed for sending too much. */
  onFlood(): void
}

/**
 * One WebSocket: frames are handled one after the other, bad ones answered and counted, guards repeated when asked. A
 * class, because thousands of them wait at the same time, and closures for each would take most of the memory.
 */
export class OpenConnection implements Connection<Frame>, DirectoryEntry {
  readonly #webSocket: WebSocket
  readonly #rules: SocketRules
  readonly #peer: Peer
  readonly #frames: TokenBucket
  readonly #handler: ConnectionHandler<never> | undefined
  #context: object
  #isStale = false
  /** True if the guards are to be repeated as soon as the work in progress ends. */
  #isCheckDue = false
  #badInARow = 0
  #lastHeard = performance.now()
  #waiting: { data: RawData; isBinary: boolean }[] = []
  #isWorking = false
  #isFlooding = false

  // Arrow functions, because handlers destructure them: `({ send }) => …`.

  readonly send = (frame: Frame): void => {
    this.#rules.checkSent?.(frame)
    this.sendText(JSON.stringify(frame))
  }

  readonly sendText = (text: string, flushed?: () => void): void => {
    const webSocket = this.#webSocket
    if (webSocket.readyState !== webSocket.OPEN) {
      flushed?.()
      return
    }
    webSocket.send(text, () => {
      if (webSocket.isPaused) {
        // A peer that takes its waiting frames is alive, though nothing is read from it.
        this.#lastHeard = performance.now()
        this.#adjustReading()
      }
      flushed?.()
    })
    if (this.#isBacklogged()) this.#adjustReading()
  }

  readonly sendError = (error: unknown, fields: Record<string, unknown> = {}): void =>
    this.sendText(JSON.stringify({ type: 'error', ...fields, ...this.#peer.explain(error).body }))

  /** Closes the connection; frames that arrived before are dropped. */
  readonly close = (code: number, reason: string): void => {
    this.#waiting.length = 0
    this.#webSocket.close(code, reason)
    // Reads on to receive the peer's close frame.
    this.#webSocket.resume()
  }

  constructor(webSocket: WebSocket, rules: SocketRules, peer: Peer, context: object) {
    this.#webSocket = webSocket
    this.#rules = rules
    this.#peer = peer
    this.#context = context
    this.#frames = new TokenBucket(rules.frameRate)
    this.#handler = this.#accept()
    const admit = () => void this.#admit()
    webSocket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    webSocket.on('ping', admit)
    webSocket.on('pong', admit)
    webSocket.on('close', () => this.#release())
    // ws answers a violation of the protocol with the right close code; the close event follows.
    webSocket.on('error', terminate)
  }

  /** The guard's latest verdict. */
  get context(): object {
    return this.#context
  }

  get buffered(): number {
    return this.#webSocket.bufferedAmount
  }

  recheck(): void {
    this.#isStale = true
    this.#isCheckDue = true
    void this.#work()
  }

  /** Pings the peer, or drops it when it has been silent for longer than `patienceMs`. */
  keepAlive(now: number, patienceMs: number): void {
    const webSocket = this.#webSocket
    if (now - this.#lastHeard <= patienceMs) webSocket.ping()
    else if (this.#isBacklogged() && webSocket.readyState === webSocket.OPEN)
      this.close(CLOSE.tooSlow, 'reads too slowly')
    else webSocket.terminate()
  }

  terminate(): void {
    this.#webSocket.terminate()
  }

  #accept(): ConnectionHandler<never> | undefined {
    try {
      const handler = this.#peer.accept(this)
      if (typeof handler?.message === 'function') return handler
      throw new Error('the handler of a socket has to return { message } synchronously')
    } catch (error) {
      this.sendError(error)
      this.close(CLOSE.failed, 'could not be opened')
      return undefined
    }
  }

  #isBacklogged(): boolean {
    return this.#webSocket.bufferedAmount > this.#rules.maxBacklog
  }

  /** Reads from the peer only while there is room for its requests and their answers. */
  #adjustReading(): void {
    if (this.#isFlooding) return
    const webSocket = this.#webSocket
    if (this.#waiting.length < FRAMES_WAITING && !this.#isBacklogged()) webSocket.resume()
    else if (webSocket.readyState === webSocket.OPEN) webSocket.pause()
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (!this.#admit()) return
    this.#waiting.push({ data, isBinary })
    if (this.#waiting.length >= FRAMES_WAITING) this.#adjustReading()
    void this.#work()
  }

  /** Counts a frame; returns false if the rate is exceeded or the connection is closing. */
  #admit(): boolean {
    this.#lastHeard = performance.now()
    const webSocket = this.#webSocket
    if (webSocket.readyState !== webSocket.OPEN) return false
    if (this.#frames.take() === 0) return true
    this.close(CLOSE.badFrames, 'too many frames')
    this.#peer.onFlood()
    // Stops reading, so that further frames are not even parsed.
    this.#isFlooding = true
    webSocket.pause()
    setTimeout(() => webSocket.terminate(), FAREWELL_MS)
    return false
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    do {
      this.#isCheckDue = false
      // With a frame, an error answers that frame.
      if (this.#isStale && this.#waiting.length === 0) await this.#isStillAllowed()
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
        await this.#handle(next.data, next.isBinary)
        if (this.#webSocket.isPaused) this.#adjustReading()
      }
    } while (this.#isCheckDue)
    this.#isWorking = false
  }

  async #handle(data: RawData, isBinary: boolean): Promise<void> {
    const { checkFrame, repeatedOf } = this.#rules
    let frame: Frame
    let received: unknown
    try {
      if (isBinary) throw new AppError('BAD_FRAME', { reason: 'binary' })
      received = parseFrame(data.toString())
      frame = checkFrame(received)
      this.#badInARow = 0
    } catch (error) {
      this.sendError(error, repeatedOf(received))
      this.#badInARow += 1
      if (this.#badInARow >= BAD_FRAMES_IN_A_ROW) this.close(CLOSE.badFrames, 'too many bad frames')
      return
    }
    if (!(await this.#isStillAllowed(frame))) return
    try {
      await this.#handler?.message(frame as never)
    } catch (error) {
      this.sendError(error, repeatedOf(frame))
    }
  }

  /** Repeats the guards if that was asked for, because of a frame or at once. */
  async #isStillAllowed(frame?: Frame): Promise<boolean> {
    if (!this.#isStale) return true
    this.#isStale = false
    try {
      this.#context = await this.#peer.runGuards()
      return true
    } catch (error) {
      const { status, body } = this.#peer.explain(error)
      if (frame || status < 500) this.sendError(error, this.#rules.repeatedOf(frame))
      if (status >= 500) {
        // The check itself failed, e.g. because the database is unavailable: the next frame repeats it.
        this.#isStale = true
        return false
      }
      const ended = status === 401 || status === 403
      this.close(ended ? CLOSE.sessionEnded : CLOSE.badFrames, ended ? 'session ended' : body.code)
      return false
    }
  }

  async #release(): Promise<void> {
    this.#waiting.length = 0
    this.#peer.onClose(this)
    try {
      await this.#handler?.close?.()
    } catch (error) {
      this.#peer.explain(error)
    }
  }
}

function terminate(this: WebSocket): void {
  this.terminate()
}
