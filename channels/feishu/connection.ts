import {
  type ChannelConnection,
  type ChannelLink,
  type ChannelSettings,
  isRefusal,
  type JSONValue,
  type OutboundMessage,
  toWellFormedJSON,
} from '#plugin-api'
import { createApi, type FeishuApi, findBot } from './api.ts'
import { createCard } from './card.ts'
import { answerPress } from './card-press.ts'
import type { FeishuConfig } from './config.ts'
import { deliver } from './delivery.ts'
import { openEventStream } from './event-stream.ts'
import { createFiles } from './files.ts'
import { readMessage, type Target } from './inbound-message.ts'
import { createLiveCards } from './live-card.ts'
import { completeMessage } from './quoted-message.ts'
import { MARKUP_REFUSALS } from './refusal-codes.ts'

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

/** The result of `send`, which `settle` receives. */
type Sent = { message_id: string }

/** Creates the sender of cards, which can have buttons and can be changed. */
function createCardMessages(api: FeishuApi) {
  /** Makes an attempt with Markdown, and another with plain text if the platform refuses the marks. */
  async function withPlainFallback<Result>(attempt: (plain: boolean) => Promise<Result>): Promise<Result> {
    try {
      return await attempt(false)
    } catch (error) {
      if (!isRefusal(error, MARKUP_REFUSALS)) throw error
      return attempt(true)
    }
  }

  return {
    async send(target: JSONValue, message: OutboundMessage, signal: AbortSignal): Promise<Sent> {
      const { text, key, buttons } = message
      const { conversation_id } = target as Target
      const message_id = await withPlainFallback((plain) => {
        const content = createCard(text, { buttons, conversation_id, plain })
        return deliver(api, target as Target, { msg_type: 'interactive', content, key }, signal)
      })
      return { message_id }
    },

    async settle(sent: JSONValue, text: string, signal: AbortSignal): Promise<void> {
      const path = `im/v1/messages/${encodeURIComponent((sent as Sent).message_id)}`
      await withPlainFallback((plain) =>
        api.call(
          { method: 'PATCH', path, body: { content: toWellFormedJSON(createCard(text, { plain })) } },
          signal,
        ),
      )
    },
  }
}
