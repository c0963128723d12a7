import { setTimeout as pause } from 'node:timers/promises'
import type { ChannelLink } from '#plugin-api'
import { openSocket, type SlackSocket } from './socket.ts'

/** The shortest time between two connections, so that one that never lasts is not tried in a circle. */
const BREATH_MS = 500

/**
 * Keeps a connection in Socket Mode: puts another in its place where Slack asks for it, before the old one is closed,
 * or where it is cut, once and at once. Where that fails the link is lost. Resolves once messages can arrive.
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
        await pause(Math.max(0, begun + BREATH_MS - performance.now()), undefined, { signal })
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
