import type { Message, Update } from 'grammy/types'
import { type ChannelConnection, ChannelFailure, type ChannelLink, type ChannelSettings } from '#plugin-api'
import { createClient, type TelegramClient } from './client.ts'
import type { TelegramConfig } from './config.ts'
import { downloadFile } from './files.ts'
import { readMessages, readPress } from './inbound.ts'
import type { Me } from './mention.ts'
import { createOutbound } from './outbound.ts'
import { readMove } from './places.ts'
import { createPolling } from './polling.ts'

/** The longest notice that Telegram shows after a press. */
const MAX_NOTICE = 200

/** Connects a bot by polling, which ends other connections of the bot. Throws a `ChannelFailure`. */
export async function openConnection(
  settings: ChannelSettings<TelegramConfig>,
  link: ChannelLink,
): Promise<ChannelConnection> {
  const client = await createClient(settings)
  const closing = new AbortController()
  const signal = AbortSignal.any([link.signal, closing.signal])
  const answers = createAnswers(client, link, signal)

  try {
    const me = await fetchMe(client, signal)
    // Polling is refused while a webhook is set.
    await client.call((api, until) => api.deleteWebhook({}, until), signal)
    const polling = createPolling({
      client,
      link,
      signal,
      handler: {
        handle: (update) => handle(update, me),
        handleAlbum: ({ messages }) =>
          receive(
            [...messages].sort((a, b) => a.message_id - b.message_id),
            me,
          ),
      },
    })
    await polling.begin()
    const polled = polling.run()

    return {
      ...createOutbound(client, link),
      download: (reference, until) => downloadFile(client, reference, until),
      async close() {
        closing.abort()
        await client.close()
        await polled
        await answers.ended()
      },
    }
  } catch (error) {
    await client.close()
    throw error
  }

  async function handle({ message, callback_query }: Update, me: Me): Promise<void> {
    if (message) {
      await move(message)
      await receive([message], me)
    } else if (callback_query) await press(callback_query)
  }

  async function receive(messages: Parameters<typeof readMessages>[0], me: Me): Promise<void> {
    const message = read(() => readMessages(messages, me))
    if (message) await link.receive(message)
  }

  /** Moves a group to the supergroup that replaced it; later messages come from there. */
  async function move(message: Message): Promise<void> {
    const moved = read(() => readMove(message))
    if (moved) await link.moved(moved.from, moved.to)
  }

  async function press(query: NonNullable<Update['callback_query']>): Promise<void> {
    const press = read(() => readPress(query))
    let notice: string | undefined
    try {
      if (press) notice = (await link.press(press)).notice
    } catch (error) {
      // The button stays, so it can be pressed again.
      link.log.warn({ error }, 'a pressed button could not be stored')
    }
    answers.answer(query.id, notice)
  }

  /** Parses an update; an unreadable one is logged and dropped, because another delivery would be unreadable too. */
  function read<Result>(parse: () => Result | undefined): Result | undefined {
    try {
      return parse()
    } catch (error) {
      link.log.warn({ error }, 'Telegram sent an unreadable update')
    }
  }
}

/** Fetches the bot of the token. */
const fetchMe = (client: TelegramClient, signal: AbortSignal): Promise<Me> =>
  client.call(async (api, until) => {
    const { id, username } = await api.getMe(until)
    return { id, username }
  }, signal)

/** Creates the sender of notices after presses, which runs in the background. */
function createAnswers(client: TelegramClient, { log }: ChannelLink, signal: AbortSignal) {
  const underWay = new Set<Promise<void>>()
  return {
    answer(callback_query_id: string, notice: string | undefined): void {
      const text = notice?.slice(0, MAX_NOTICE).toWellFormed()
      const answered = client
        .call((api, until) => api.answerCallbackQuery({ callback_query_id, text }, until), signal)
        .then(
          () => {},
          (error) => {
            if (!signal.aborted) log.warn({ error }, 'the notice for a pressed button could not be sent')
          },
        )
        .finally(() => underWay.delete(answered))
      underWay.add(answered)
    },
    async ended(): Promise<void> {
      await Promise.all(underWay)
    },
  }
}

/** Tests the token and that no webhook is set, without ending a connection. Throws a `ChannelFailure`. */
export async function probe(settings: ChannelSettings<TelegramConfig>, signal: AbortSignal): Promise<void> {
  const client = await createClient(settings)
  try {
    await fetchMe(client, signal)
    const url = await client.call(async (api, until) => (await api.getWebhookInfo(until)).url, signal)
    if (url)
      throw new ChannelFailure(
        'already_connected',
        'Another program receives this bot’s messages by a webhook. Opening the channel removes that webhook.',
      )
  } finally {
    await client.close()
  }
}
