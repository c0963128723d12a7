import { ChannelFailure, type ChannelSettings } from '#plugin-api'
import { isObject, toFilledText } from '#toolbox'
import { createApi, type FeishuApi } from './api.ts'
import type { FeishuConfig } from './config.ts'

/** Fetches the bot's `open_id`, which mentions contain. Throws `forbidden` if the app has no bot. */
export async function findBot(api: FeishuApi, signal: AbortSignal): Promise<string> {
  const { bot } = await api.call({ method: 'GET', path: 'bot/v3/info' }, signal)
  const openId = isObject(bot) ? toFilledText(bot.open_id) : undefined
  if (!openId)
    throw new ChannelFailure(
      'forbidden',
      'The app has no bot: add the Bot capability in the developer console and publish a version.',
    )
  return openId
}

/** Requests a token and the bot. Opens no connection, which would take events from an open one. */
export async function probe(settings: ChannelSettings<FeishuConfig>, signal: AbortSignal): Promise<void> {
  await findBot(createApi(settings, signal), signal)
}
