import type { OpenSocket, Socket } from './socket.ts'

interface Settings {
  protocols: string[]
  headers: Record<string, string>
}

const { WebSocket: Own } = globalThis as { WebSocket?: new (url: string, settings: Settings) => Socket }
// Node.js has a WebSocket of its own since version 22.
const ws = Own ? undefined : await import('ws')

/** Opens a WebSocket of Node.js, or of the package `ws`. */
export const openSocket: OpenSocket = (url, protocols, headers) =>
  Own
    ? new Own(url, { protocols, headers })
    : (new ws!.WebSocket(url, protocols, { headers, perMessageDeflate: false }) as Socket)
