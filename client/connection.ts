import type { Credentials } from './credentials.ts'
import { ChatError } from './errors.ts'
import type { ClientFrame, ServerFrame } from './frames.ts'
import type { OpenSocket, Socket } from './socket/node.ts'

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 15_000
/** The time that a connection may take to open. */
const OPENING_MS = 15_000
const GOING_AWAY = 1001
const TOO_SLOW = 1013

/** Settings of the connection of a chat. */
export interface ConnectionOptions {
  /** Milliseconds without a connection after which everything that waits fails with `UNREACHABLE`. Default: 5 minutes. */
  patience_ms?: number | undefined
  /**
   * Milliseconds of silence after which the server is pinged; after half of that time without an answer the connection
   * is replaced. Default: 20 seconds.
   */
  silence_ms?: number | undefined
  /** Called when the connection was opened (`open`) or lost (`lost`). */
  onState?: ((state: 'open' | 'lost') => void) | undefined
}

/** The dependencies of a connection. */
interface ConnectionParts extends ConnectionOptions {
  url: string
  headers: Record<string, string>
  credentials: Credentials
  openSocket: OpenSocket
  /** Throws if the server refuses this caller; used to learn why a socket did not open. */
  check(): Promise<void>
  /** True while something waits for frames. */
  isNeeded(): boolean
  onOpen(): void
  onFrame(frame: ServerFrame, size: number): void
  onLost(code: number): void
  /** Called when it makes no sense to try again. */
  onFail(error: unknown): void
}

/** Creates a connection that is opened when needed, and replaced when it is lost. */
export const createConnection = ({
  url,
  headers,
  credentials,
  openSocket,
  check,
  isNeeded,
  onOpen,
  onFrame,
  onLost,
  onFail,
  onState,
  patience_ms = 300_000,
  silence_ms = 20_000,
}: ConnectionParts) => {
  let state: 'idle' | 'busy' | 'open' = 'idle'
  let socket: Socket | undefined
  /** Stops the timers of the socket and closes it. */
  let release = () => {}
  /** Opens the connection that waits for another attempt; undefined while none waits. */
  let openNow: (() => void) | undefined
  let failures = 0
  /** The time since which the connection is needed and missing. */
  let missing_since = 0

  const open = async () => {
    try {
      const token = await credentials.read()
      if (!isNeeded()) return becomeIdle()
      watchSocket(openSocket(url, token === undefined ? ['svc'] : ['svc', `bearer.${token}`], headers))
    } catch (error) {
      handleRefusal(error)
    }
  }

  const watchSocket = (opened: Socket) => {
    let isAsked = false
    let lastFrameAt = Date.now()

    const lose = (code: number) => {
      if (socket !== opened) return
      const wasOpen = state === 'open'
      // A half-open connection may take minutes to close, so its close is not awaited.
      release()
      state = 'busy'
      if (wasOpen) {
        missing_since = Date.now()
        onLost(code)
        onState?.('lost')
      }
      if (!isNeeded()) becomeIdle()
      // These servers ask for some time.
      else if (code === GOING_AWAY || code === TOO_SLOW) retry(Math.max(failures, 1))
      else if (wasOpen) retry(failures)
      else check().then(() => retry(failures), handleRefusal)
    }

    const opening = setTimeout(() => lose(0), OPENING_MS)
    const pulse = setInterval(() => {
      const silence = Date.now() - lastFrameAt
      if (isAsked && silence > silence_ms * 1.5) lose(0)
      else if (!isAsked && state === 'open' && silence > silence_ms) {
        isAsked = true
        // The answer may take its time from now on, for example after the machine has slept.
        lastFrameAt = Date.now() - silence_ms
        send({ type: 'ping' })
      }
    }, silence_ms / 4)
    socket = opened
    release = () => {
      socket = undefined
      clearTimeout(opening)
      clearInterval(pulse)
      opened.close()
    }

    opened.addEventListener('open', () => {
      if (socket !== opened) return
      clearTimeout(opening)
      lastFrameAt = Date.now()
      state = 'open'
      onState?.('open')
      onOpen()
    })
    opened.addEventListener('message', ({ data }) => {
      if (socket !== opened) return
      lastFrameAt = Date.now()
      isAsked = false
      failures = 0
      const text = String(data)
      onFrame(JSON.parse(text), text.length)
    })
    opened.addEventListener('error', () => {})
    opened.addEventListener('close', ({ code }) => lose(code))
  }

  /** Fails if the server refuses this caller, or if there is no token; otherwise tries again. */
  const handleRefusal = (error: unknown) => {
    const isFinal =
      error instanceof ChatError ? [401, 403, 404].includes(error.status!) : !(error instanceof TypeError)
    if (isFinal) fail(error)
    else retry(failures, error)
  }

  const retry = (after: number, cause?: unknown) => {
    const longest = after === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (after - 1), MAX_DELAY_MS)
    const delay = longest * (0.5 + Math.random() / 2)
    failures = after + 1
    if (Date.now() + delay - missing_since > patience_ms) {
      const message = `No server can be reached at ${url}.`
      return fail(new ChatError({ code: 'UNREACHABLE', message }, { cause }))
    }
    const stop = () => {
      clearTimeout(timer)
      openNow = undefined
    }
    const start = () => {
      stop()
      void open()
    }
    const timer = setTimeout(start, delay)
    openNow = start
    release = stop
  }

  const becomeIdle = () => {
    state = 'idle'
    failures = 0
  }

  const fail = (error: unknown) => {
    becomeIdle()
    onFail(error)
  }

  const send = (frame: ClientFrame) => socket?.send(JSON.stringify(frame))

  return {
    /** True if frames can be sent. */
    get isOpen() {
      return state === 'open'
    },

    /** Opens the connection unless it is open or about to be. */
    need() {
      if (state !== 'idle') return
      state = 'busy'
      missing_since = Date.now()
      void open()
    },

    /** Sends a frame on the open connection. */
    send,

    /** Makes the next attempt of a lost connection at once, for example because the network is back. */
    retryNow: () => openNow?.(),

    /** Closes the connection, which can be opened again. */
    close() {
      release()
      release = () => {}
      becomeIdle()
    },
  }
}
