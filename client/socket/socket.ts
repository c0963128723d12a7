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
