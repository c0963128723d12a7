import { ChannelFailure, type ChannelSettings } from '#plugin-api'

/** How a channel makes its requests, and how it lets go of the connections that are its own. */
export interface Transport {
  fetch: typeof globalThis.fetch
  close(): Promise<void>
}

/** Bytes of one response; files have 20 MB at most. */
const MAX_RESPONSE = 32 * 1024 * 1024

/** How a proxy's refusal is told. */
const REFUSED = /^Proxy response \((\d+)\)/

/** Requests that go straight to the platform, or by the proxy that the config names. Throws a `ChannelFailure`. */
export async function createTransport(settings: ChannelSettings): Promise<Transport> {
  const { http_proxy } = settings.config
  if (typeof http_proxy !== 'string' || http_proxy === '')
    return { fetch: settings.fetch, close: async () => {} }

  const uri = proxyAddress(http_proxy)
  try {
    await settings.assertAllowed(uri)
  } catch (cause) {
    throw new ChannelFailure(
      'forbidden',
      'The proxy lies in the server’s own or a private network, where channels may not go.',
      { cause },
    )
  }
  const { ProxyAgent, fetch } = await import('undici')
  const dispatcher = new ProxyAgent({
    uri,
    // The proxy's name is looked up again for each connection, and may have changed its address.
    proxyTls: { lookup: settings.lookup } as never,
    maxResponseSize: MAX_RESPONSE,
  })
  const proxied = async (input: string | URL, init?: RequestInit) => {
    try {
      return await fetch(input, { ...(init as object), dispatcher })
    } catch (error) {
      const status = statusIn(error)
      if (!status) throw error
      const reason = status === '407' ? 'invalid_credentials' : 'unreachable'
      throw new ChannelFailure(reason, `The proxy refuses to connect to Telegram, with status ${status}.`)
    }
  }
  return {
    fetch: proxied as unknown as typeof globalThis.fetch,
    close: () => dispatcher.destroy(),
  }
}

function statusIn(error: unknown): string | undefined {
  if (!(error instanceof Error)) return
  return REFUSED.exec(error.message)?.[1] ?? statusIn(error.cause)
}

/** The address of a proxy that is spoken to by HTTP; throws a `ChannelFailure` for anything else. */
export function proxyAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ChannelFailure(
      'unsupported',
      'The proxy must be an address that begins with http:// or https://.',
    )
  return url.href
}
