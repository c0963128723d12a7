import { ChannelFailure, type ChannelSettings, createDeadline } from '#plugin-api'
import type { MattermostConfig } from './config.ts'
import { toNetworkFailure } from './failure.ts'

/** Time limit for the connection and the greeting together, in milliseconds. */
const OPEN_MS = 20_000
/** The interval of pings; a socket that did not answer the last one is dead. */
const PING_MS = 30_000
const MAX_FRAME_BYTES = 4 * 1024 * 1024

/** An event of the server. */
export interface ServerEvent {
  event?: string
  data?: Record<string, unknown>
  seq?: number
  /** The result of a request, such as the authentication. */
  status?: string
}

/** An open connection. */
export interface EventSocket {
  /** Resolves when the connection is cut. */
  ended: Promise<void>
  close(): Promise<void>
}

/** Connects and waits for the greeting; `onEvent` gets every event after it, in order. */
export async function openSocket(
  {
    config,
    lookup,
    assertAllowed,
  }: Pick<ChannelSettings<MattermostConfig>, 'config' | 'lookup' | 'assertAllowed'>,
  { signal, onEvent }: { signal: AbortSignal; onEvent(event: ServerEvent): void },
): Promise<EventSocket> {
  const address = new URL(`${config.server_url.replace(/\/+$/, '').replace(/^http/, 'ws')}/api/v4/websocket`)
  // A literal IP address is not looked up, so it is checked here.
  await assertAllowed(address.href)
  const { WebSocket } = await import('ws')
  signal.throwIfAborted()
  const socket = new WebSocket(address, {
    maxPayload: MAX_FRAME_BYTES,
    // The types of the package lack the options that it passes to the request.
    ...({ lookup } as object),
  })
  const deadline = createDeadline([signal], { milliseconds: OPEN_MS })
  let sequence = 0
  let isAlive = true
  let failure: unknown

  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const end = () => socket.terminate()
  signal.addEventListener('abort', end, { once: true })
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, PING_MS)
  socket.on('pong', () => {
    isAlive = true
  })
  socket.on('error', (error) => {
    failure ??= error
  })
  ended.then(() => {
    clearInterval(timer)
    signal.removeEventListener('abort', end)
  })
  socket.on('open', () =>
    socket.send(
      JSON.stringify({ seq: 1, action: 'authentication_challenge', data: { token: config.bot_token } }),
    ),
  )

  const greeted = new Promise<void>((resolve) =>
    socket.on('message', (bytes) => {
      isAlive = true
      const frame = parse(String(bytes))
      if (frame?.status === 'FAIL')
        failure ??= new ChannelFailure(
          'invalid_credentials',
          'The Mattermost server does not accept the access token.',
        )
      if (!frame?.event) return
      if (frame.event === 'hello') {
        sequence = frame.seq ?? 0
        resolve()
      }
      if (typeof frame.seq === 'number') {
        // The server drops events if a connection is slow: what is missing is fetched after a new connection.
        if (frame.seq > sequence) return socket.terminate()
        if (frame.seq < sequence) return
        sequence = frame.seq + 1
      }
      if (frame.event !== 'hello') onEvent(frame)
    }),
  )
  const late = () => socket.terminate()
  deadline.signal.addEventListener('abort', late)
  try {
    if (deadline.signal.aborted) late()
    const isGreeted = await Promise.race([greeted.then(() => true), ended.then(() => false)])
    if (!isGreeted) {
      const lost = new ChannelFailure(
        'unreachable',
        'The Mattermost server closed the connection for events.',
      )
      throw deadline.signal.aborted || failure ? toNetworkFailure(failure, deadline.signal) : lost
    }
  } finally {
    deadline.signal.removeEventListener('abort', late)
    deadline.release()
  }

  return {
    ended,
    async close() {
      socket.terminate()
      await ended
    },
  }
}

function parse(text: string): ServerEvent | undefined {
  try {
    const frame: unknown = JSON.parse(text)
    return typeof frame === 'object' && frame !== null ? frame : undefined
  } catch {
    // Ignored: all frames of Mattermost are JSON.
    return undefined
  }
}
