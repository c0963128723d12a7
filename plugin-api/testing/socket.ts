import { once } from 'node:events'
import WebSocket from 'ws'
import type { TestFrame, TestSocket } from './test-socket.ts'

/** Opens a socket; rejects with the HTTP answer if the upgrade is refused. */
export async function openSocket(
  url: string,
  protocols: string[] = [],
  headers: Record<string, string> = {},
): Promise<TestSocket & { webSocket: WebSocket }> {
  const webSocket = new WebSocket(url, protocols, { headers })
  // Many a test waits for more than ten frames at once.
  webSocket.setMaxListeners(0)
  const frames: TestFrame[] = []
  let read = 0
  let wake = () => {}
  let closedReason: string | undefined
  webSocket.on('message', (data) => {
    frames.push(JSON.parse(data.toString()))
    wake()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    webSocket.on('close', (code, reason) => {
      closedReason = `the socket was closed with ${code} ${reason}`
      wake()
      resolve({ code, reason: reason.toString() })
    })
  })
  await new Promise<void>((resolve, reject) => {
    webSocket.once('open', resolve)
    webSocket.once('error', reject)
    webSocket.once('unexpected-response', async (_, response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      await once(response, 'end')
      reject(
        Object.assign(new Error(`refused with ${response.statusCode}`), {
          status: response.statusCode,
          body: JSON.parse(text),
          headers: response.headers,
        }),
      )
    })
  })
  return {
    frames,
    webSocket,
    send: (frame) => webSocket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    async next(type) {
      for (;;) {
        while (read < frames.length) {
          const frame = frames[read]!
          read += 1
          if (!type || frame.type === type) return frame
        }
        if (closedReason)
          throw new Error(
            `${closedReason} while waiting for ${type ?? 'a frame'}; last: ${JSON.stringify(frames.at(-1))}`,
          )
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    closed,
    close: () => webSocket.close(),
  }
}
