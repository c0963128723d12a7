import { ChannelFailure, type ChannelSettings } from '#plugin-api'
import { type TelegramConfig, toProxyAddress } from './config.ts'
import { createTunnels } from './tunnel.ts'

/** The `fetch` of a channel; `close` ends the connections of its own. */
interface Transport {
  fetch: typeof globalThis.fetch
  close(): Promise<void>
}

/** Files have at most 20 MB. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024

/** Creates the transport: direct, or by the proxy in the config. Throws a `ChannelFailure`. */
export async function createTransport(settings: ChannelSettings<TelegramConfig>): Promise<Transport> {
  const { http_proxy } = settings.config
  if (typeof http_proxy !== 'string' || http_proxy === '')
    return { fetch: settings.fetch, close: async () => {} }

  const address = toProxyAddress(http_proxy)
  try {
    await settings.assertAllowed(address)
  } catch (cause) {
    throw new ChannelFailure(
      'forbidden',
      'The proxy is in the server’s own or a private network, which channels may not access.',
      { cause },
    )
  }
  const { Agent, fetch } = await import('undici')
  // Each tunnel looks up the proxy again, so the address is checked each time.
  const tunnels = await createTunnels(new URL(address), settings.lookup)
  const agent = new Agent({ connect: tunnels.connect, maxResponseSize: MAX_RESPONSE_BYTES })
  const proxied = async (input: string | URL, init?: RequestInit) => {
    try {
      return await fetch(input, { ...(init as object), dispatcher: agent })
    } catch (error) {
      const { cause } = error as Error
      throw cause instanceof ChannelFailure ? cause : error
    }
  }
  return {
    fetch: proxied as unknown as typeof globalThis.fetch,
    async close() {
      tunnels.close()
      await agent.destroy()
    },
  }
}
