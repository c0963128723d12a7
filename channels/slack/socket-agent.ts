import type { Socket } from 'node:net'
import type { ChannelSettings } from '#plugin-api'

/** The most that one frame may have; Slack's own stay far below. */
const MAX_FRAME = 8 * 1024 * 1024

/** How long the last bytes may take to leave. */
const FLUSH_MS = 1000

/** Connects where `settings` allow it, and knows its sockets, which the client library loses at the upgrade. */
export async function createSocketAgent(
  { lookup, assertAllowed }: Pick<ChannelSettings, 'lookup' | 'assertAllowed'>,
  connectMs: number,
) {
  const { Agent, buildConnector } = await import('undici')
  const connector = buildConnector({ lookup, timeout: connectMs, allowH2: false })
  const sockets = new Set<Socket>()
  let isClosed = false

  const agent = new Agent({
    webSocket: { maxPayloadSize: MAX_FRAME },
    connect(options, callback) {
      // An address that is written out is never looked up.
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
    /** Writes what is still to be written, and cuts every connection. */
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
