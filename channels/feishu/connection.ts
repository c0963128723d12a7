import type { ChannelConnection, ChannelLink, ChannelSettings } from '#plugin-api'
import { createApi } from './api.ts'
import { findBot } from './bot.ts'
import { answerPress } from './card.ts'
import { createCardMessages } from './card-messages.ts'
import type { FeishuConfig } from './config.ts'
import { openEventStream } from './event-stream.ts'
import { createFiles } from './files.ts'
import { findQuote, readMessage } from './inbound-message.ts'
import { createLiveCards } from './live-card.ts'

/** Connects a channel. */
export async function open(
  settings: ChannelSettings<FeishuConfig>,
  link: ChannelLink,
): Promise<ChannelConnection> {
  const life = new AbortController()
  const api = createApi(settings, life.signal)
  const running = new Set<Promise<unknown>>()

  /** Registers the handling of an event, for which `close` waits. */
  function track<Result>(work: Promise<Result>): Promise<Result> {
    running.add(work)
    const done = () => void running.delete(work)
    work.then(done, done)
    return work
  }

  async function receive(event: unknown, bot: string): Promise<void> {
    const parsed = readMessage(event, bot)
    if (!parsed) return
    const { message, parent_id } = parsed
    const quote = parent_id && (await readQuote(parent_id, bot))
    life.signal.throwIfAborted()
    await link.receive(quote ? { ...message, quote } : message)
  }

  async function readQuote(messageId: string, bot: string) {
    try {
      return await findQuote(api, messageId, bot, life.signal)
    } catch (error) {
      // The quoted message may be gone or not accessible; the message itself is received all the same.
      link.log.debug({ error }, 'the quoted message cannot be read')
      return undefined
    }
  }

  const abort = () => life.abort(link.signal.reason)
  link.signal.addEventListener('abort', abort, { once: true })
  try {
    link.signal.throwIfAborted()
    const bot = await findBot(api, life.signal)
    const stream = await openEventStream({
      settings,
      scrubber: api.scrubber,
      link,
      life: life.signal,
      handlers: {
        'im.message.receive_v1': (event) => track(receive(event, bot)),
        'card.action.trigger': (event) => track(answerPress(event, link.press)),
      },
    })
    const cards = createCardMessages(api)
    return {
      send: cards.send,
      settle: (_target, sent, text, signal) => cards.settle(sent, text, signal),
      live: createLiveCards(api),
      ...createFiles(api),
      async close() {
        link.signal.removeEventListener('abort', abort)
        life.abort(new Error('The channel is closed.'))
        await Promise.allSettled([...running, stream.closed])
      },
    }
  } catch (error) {
    link.signal.removeEventListener('abort', abort)
    life.abort(error)
    throw error
  }
}
