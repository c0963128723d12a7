import type { ChannelSettings } from '#plugin-api'
import { createApi } from './api.ts'
import { findBot } from './bot.ts'

/** Requests a token and the bot. Opens no connection, which would take events from an open one. */
export async function probe(settings: ChannelSettings, signal: AbortSignal): Promise<void> {
  await findBot(createApi(settings, signal), signal)
}
