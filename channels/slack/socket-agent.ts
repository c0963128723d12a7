import type { Socket } from 'node:net'
import type { ChannelSettings } from '#plugin-api'

/** Far above the frames of Slack. */
const MAX_FRAME_BYTES = 8 * 1024 * 1024

/** Time limit for sending the last bytes. */
const FLUSH_MS = 1000

/** Creates an agent for allowed addresses that tracks its sockets, which the client library loses on upgrade. */
export async function createSocketAgent(
  { lookup, assertAllowed }: Pick<ChannelSettings, 'lookup' | 'assertAllowed'>,
  connectMs: number,
) {
  const { Agent, buildConnector } = await import('undici')
  const connector = buildConnector({ lookup, timeout: connectMs, allowH2: false })
  const sockets = new Set<Socket>()
  let isClosed = false

  const agent = new Agent({
    webSocket: { maxPayloadSize: MAX_FRAME_BYTES },
    connect(options, callback) {
      // A literal IP address is not looked up, so it is checked here.
      assertAllowed(`https://${options.hostname}`).then(
        () =>
          connector(options, (error, socket) => {
            if (error) return callback(error, null)
            if (isClosed) socket.destroy()
            sockets.add(socket.once('close', () => sockets.delete(socket)))
            callback(null, socket)
          }),
        (error) => callback(error, null),
      )
    },
  })

  return {
    agent,
    /** Flushes and closes every connection. */
    async close(): Promise<void> {
      isClosed = true
      await Promise.all([...sockets].map(cut))
      await agent.destroy()
    },
  }
}

function cut(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), FLUSH_MS)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    socket.destroySoon()
  })
}
