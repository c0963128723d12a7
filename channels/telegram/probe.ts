import { ChannelFailure, type ChannelSettings } from '#plugin-api'
import { createClient } from './client.ts'
import { fetchMe } from './connection.ts'

/** Tests the token and that no webhook is set, without ending a connection. Throws a `ChannelFailure`. */
export async function probe(settings: ChannelSettings, signal: AbortSignal): Promise<void> {
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
