import { setTimeout as pause } from 'node:timers/promises'
import type { ChannelLink } from '#plugin-api'
import { openSocket, type SlackSocket } from './socket.ts'

/** The shortest time between two connections, in case they are cut at once. */
const MIN_INTERVAL_MS = 500

/**
 * Keeps a connection in Socket Mode. Opens a new one when Slack asks for it, before the old one is closed, or when the
 * old one is cut; if that fails once, the link is lost. Resolves when messages can arrive.
 */
export async function openSession({
  link,
  ...options
}: { link: ChannelLink } & Omit<Parameters<typeof openSocket>[0], 'log'>): Promise<{ ended: Promise<void> }> {
  const { signal } = options
  let begun = 0
  const connect = () => {
    begun = performance.now()
    return openSocket({ ...options, log: link.log })
  }

  async function keep(first: SlackSocket): Promise<void> {
    let current = first
    for (;;) {
      const { reason, failure } = await current.ended
      const old = current
      try {
        signal.throwIfAborted()
        if (failure) throw failure
        link.connecting(reason)
        await pause(Math.max(0, begun + MIN_INTERVAL_MS - performance.now()), undefined, { signal })
        current = await connect()
        link.connected()
      } catch (error) {
        if (!signal.aborted) link.lost(error)
        return await old.close()
      }
      await old.close()
    }
  }

  return { ended: keep(await connect()) }
}
