import { ChannelFailure, type ChannelSettings } from '#plugin-api'
import { type TelegramConfig, toProxyAddress } from './config.ts'

/** The `fetch` of a channel; `close` ends the connections of its own. */
interface Transport {
  fetch: typeof globalThis.fetch
  close(): Promise<void>
}

/** Files have at most 20 MB. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024

/** The library's message for a refusal by a proxy. */
const REFUSED = /^Proxy response \((\d+)\)/

/** Creates the transport: direct, or by the proxy in the config. Throws a `ChannelFailure`. */
export async function createTransport(settings: ChannelSettings<TelegramConfig>): Promise<Transport> {
  const { http_proxy } = settings.config
  if (typeof http_proxy !== 'string' || http_proxy === '')
    return { fetch: settings.fetch, close: async () => {} }

  const uri = toProxyAddress(http_proxy)
  try {
    await settings.assertAllowed(uri)
  } catch (cause) {
    throw new ChannelFailure(
      'forbidden',
      'The proxy is in the server’s own or a private network, which channels may not access.',
      { cause },
    )
  }
  const { ProxyAgent, fetch } = await import('undici')
  const dispatcher = new ProxyAgent({
    uri,
    // Each connection looks up the proxy again, so the address is checked each time.
    proxyTls: { lookup: settings.lookup } as never,
    maxResponseSize: MAX_RESPONSE_BYTES,
  })
  const proxied = async (input: string | URL, init?: RequestInit) => {
    try {
      return await fetch(input, { ...(init as object), dispatcher })
    } catch (error) {
      const status = readStatus(error)
      if (!status) throw error
      const reason = status === '407' ? 'invalid_credentials' : 'unreachable'
      throw new ChannelFailure(reason, `The proxy refused to connect to Telegram with status ${status}.`)
    }
  }
  return {
    fetch: proxied as unknown as typeof globalThis.fetch,
    close: () => dispatcher.destroy(),
  }
}

function readStatus(error: unknown): string | undefined {
  if (!(error instanceof Error)) return
  return REFUSED.exec(error.message)?.[1] ?? readStatus(error.cause)
}
