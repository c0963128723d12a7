import type { ChannelConnection, ChannelLink, ChannelSettings } from '#plugin-api'
import { createApi } from './api.ts'
import { findBot } from './bot.ts'
import { answerPress } from './button-press.ts'
import { createCardMessages } from './card-messages.ts'
import { openEventStream } from './event-stream.ts'
import { createFiles } from './files.ts'
import { readMessage } from './inbound-message.ts'
import { createLiveCards } from './live-card.ts'
import { findQuote } from './quote.ts'

/** Connects a channel; the credentials are tried first, because the client library cannot tell that they are wrong. */
export async function open(settings: ChannelSettings, link: ChannelLink): Promise<ChannelConnection> {
  const life = new AbortController()
  const api = createApi(settings, life.signal)
  const atWork = new Set<Promise<unknown>>()

  /** Lets `close` wait for what an event has begun. */
  function track<Result>(work: Promise<Result>): Promise<Result> {
    atWork.add(work)
    const done = () => void atWork.delete(work)
    work.then(done, done)
    return work
  }

  async function receive(event: unknown, bot: string): Promise<void> {
    const parsed = readMessage(event, bot)
    if (!parsed) return
    const { message, parent_id } = parsed
    const quote = parent_id && (await quoteOf(parent_id, bot))
    life.signal.throwIfAborted()
    await link.receive(quote ? { ...message, quote } : message)
  }

  async function quoteOf(messageId: string, bot: string) {
    try {
      return await findQuote(api, messageId, bot, life.signal)
    } catch (error) {
      // The message itself matters more than what it replies to, which may be gone or not ours to read.
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
    life.signal.addEventListener('abort', () => stream.close(), { once: true })
    const cards = createCardMessages(api)
    return {
      send: cards.send,
      settle: (_target, sent, text, signal) => cards.settle(sent, text, signal),
      live: createLiveCards(api),
      ...createFiles(api),
      async close() {
        link.signal.removeEventListener('abort', abort)
        life.abort(new Error('The channel is closed.'))
        await Promise.allSettled(atWork)
      },
    }
  } catch (error) {
    link.signal.removeEventListener('abort', abort)
    life.abort(error)
    throw error
  }
}
