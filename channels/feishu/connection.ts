import type { ChannelConnection, ChannelLink, ChannelSettings } from '#plugin-api'
import { createApi } from './api.ts'
import { findBot } from './bot.ts'
import { createCardMessages } from './card-messages.ts'
import { answerPress } from './card-press.ts'
import type { FeishuConfig } from './config.ts'
import { openEventStream } from './event-stream.ts'
import { createFiles } from './files.ts'
import { readMessage } from './inbound-message.ts'
import { createLiveCards } from './live-card.ts'
import { completeMessage } from './quoted-message.ts'

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
    if (!parsed) return link.log.info('a message of an app, or of an unknown form, was ignored')
    const message = await completeMessage(parsed, { api, bot, log: link.log, life: life.signal })
    life.signal.throwIfAborted()
    await link.receive(message)
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
        'card.action.trigger': (event) =>
          answerPress(event, { press: (pressed) => track(link.press(pressed)), log: link.log }),
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
