import { ChannelFailure, type ChannelSettings } from '#plugin-api'
import { createClient } from './client.ts'
import { whoAmI } from './connection.ts'

/** Asks who the bot is and whether another program gets its messages. Takes no connection away. Throws a `ChannelFailure`. */
export async function probe(settings: ChannelSettings, signal: AbortSignal): Promise<void> {
  const client = await createClient(settings)
  try {
    await whoAmI(client, signal)
    const url = await client.call(async (api, until) => (await api.getWebhookInfo(until)).url, signal)
    if (url)
      throw new ChannelFailure(
        'already_connected',
        'Another program gets this bot’s messages by a webhook. Opening the channel removes that webhook.',
      )
  } finally {
    await client.close()
  }
}
