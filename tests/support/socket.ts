import { openSocket } from '../../plugin-api/testing/socket.ts'
import type { Test } from '../run/file-test.ts'

export type { TestFrame } from '../../plugin-api/testing/test-socket.ts'

/** A WebSocket client that keeps every frame. */
export type TestSocket = Awaited<ReturnType<typeof openSocket>>

/** Opens a socket that is terminated when the test ends. Rejects with the HTTP response if the upgrade is refused. */
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
