import type { OpenSocket, Socket } from './node.ts'

/** Opens a WebSocket of the platform; browsers cannot send headers with it. */
export const openSocket: OpenSocket = (url, protocols) => {
  const { WebSocket } = globalThis as unknown as {
    WebSocket: new (url: string, protocols: string[]) => Socket
  }
  return new WebSocket(url, protocols)
}
