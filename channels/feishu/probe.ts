import type { ChannelSettings } from '#plugin-api'
import { createApi } from './api.ts'
import { findBot } from './bot.ts'

/** Asks for a token and for the bot; opens no connection, so that one that is open keeps all its events. */
export async function probe(settings: ChannelSettings, signal: AbortSignal): Promise<void> {
  await findBot(createApi(settings, signal), signal)
}
