/** The part of a WebSocket that the client uses. */
export interface Socket {
  readonly readyState: number
  send(text: string): void
  close(code?: number): void
  addEventListener(type: 'open' | 'error', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: { code: number }) => void): void
}

/** Opens a WebSocket; `headers` are sent if the platform can send them. */
export type OpenSocket = (url: string, protocols: string[], headers: Record<string, string>) => Socket

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
