import type { Test } from 'tap'
import { openSocket } from '../../plugin-api/testing/socket.ts'

export type { TestFrame } from '../../plugin-api/testing/socket.ts'

/** A WebSocket client that keeps every frame. */
export type TestSocket = Awaited<ReturnType<typeof openSocket>>

/** Opens a socket that is cut when the test ends; rejects with the HTTP answer where the upgrade was refused. */
export async function connectSocket(
  t: Test,
  url: string,
  protocols: string[] = [],
  headers: Record<string, string> = {},
): Promise<TestSocket> {
  const socket = await openSocket(url, protocols, headers)
  t.teardown(() => socket.webSocket.terminate())
  return socket
}
