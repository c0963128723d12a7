import type { OpenSocket, Socket } from './socket.ts'

/** The time that a server has to answer a close. */
const CLOSE_MS = 1000

interface Settings {
  protocols: string[]
  headers: Record<string, string>
}

const { WebSocket: Own } = globalThis as { WebSocket?: new (url: string, settings: Settings) => Socket }
// Node.js has a WebSocket of its own since version 22.
const ws = Own ? undefined : await import('ws')

/** Opens a WebSocket of Node.js, or of the package `ws`. */
export const openSocket: OpenSocket = (url, protocols, headers) => {
  if (Own) return new Own(url, { protocols, headers })
  const settings = { headers, perMessageDeflate: false, closeTimeout: CLOSE_MS }
  return new ws!.WebSocket(url, protocols, settings) as Socket
}
