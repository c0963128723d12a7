import { ChannelFailure } from '#plugin-api'
import type { FeishuApi } from './api.ts'
import { isRecord, textOf } from './reply.ts'

/** Asks who the bot is: its `open_id`, by which mentions name it. Throws `forbidden` where the app has no bot. */
export async function findBot(api: FeishuApi, signal: AbortSignal): Promise<string> {
  const { bot } = await api.call({ method: 'GET', path: 'bot/v3/info' }, signal)
  const openId = isRecord(bot) ? textOf(bot.open_id) : undefined
  if (!openId)
    throw new ChannelFailure(
      'forbidden',
      'The app has no bot: add the Bot capability in the developer console and publish a version.',
    )
  return openId
}
