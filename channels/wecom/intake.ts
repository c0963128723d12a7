import { setTimeout as wait } from 'node:timers/promises'
import type { ChannelLink, InboundMessage } from '#plugin-api'
import { readMessage } from './inbound.ts'

/** Messages that could not be stored yet; what comes beyond is lost. */
const MAX_WAITING = 200

/** How long to wait before a message is handed over again, in milliseconds: doubled each time up to the most. */
const FIRST_WAIT_MS = 250
const MOST_WAIT_MS = 30_000

/**
 * Hands messages to the gateway. The platform is told nothing of their arrival and never sends one again by itself,
 * so a message that the gateway refuses is kept and handed over until it is taken or the channel closes.
 */
export function createIntake(link: Pick<ChannelLink, 'receive' | 'log'>, signal: AbortSignal) {
  let waiting = 0

  async function insist(message: InboundMessage) {
    for (let pause = FIRST_WAIT_MS; ; pause = Math.min(2 * pause, MOST_WAIT_MS)) {
      await wait(pause, undefined, { signal })
      try {
        return await link.receive(message)
      } catch (error) {
        link.log.debug({ error, message_id: message.id }, 'a message still cannot be stored')
      }
    }
  }

  async function take(message: InboundMessage) {
    try {
      return await link.receive(message)
    } catch (error) {
      if (waiting >= MAX_WAITING) {
        link.log.error({ error, message_id: message.id }, 'a message is lost: too many could not be stored')
        return
      }
      link.log.warn({ error, message_id: message.id }, 'a message could not be stored; it is tried again')
    }
    waiting += 1
    try {
      await insist(message)
    } catch (error) {
      link.log.warn({ error, message_id: message.id }, 'the channel closed before a message could be stored')
    } finally {
      waiting -= 1
    }
  }

  return (frame: unknown) => {
    const message = readMessage(frame)
    if (message) void take(message)
    else link.log.debug('a message of a sort that is not known was left out')
  }
}
