import { isIP, type Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { ChannelFailure } from '../channel-failure.ts'
import type { ChannelSettings } from '../channel-kind.ts'
import { createProxyTunnels, DEFAULT_PORTS } from './proxy-tunnels.ts'

/** The connections of a channel: direct, or through an HTTP proxy. */
export interface Transport {
  fetch: typeof globalThis.fetch
  /** Connects to a host through the proxy, for sockets that are no `fetch`; missing without a proxy. */
  tunnel?(target: { host: string; port: number; isSecure: boolean }): Promise<Socket>
  /** Ends the connections through the proxy. */
  close(): Promise<void>
}

const MAX_RESPONSE_BYTES = 64 * 1024 * 1024
/** Time limit for the encryption of a connection, in milliseconds. */
const ENCRYPT_MS = 10_000

/** Returns the address of an HTTP proxy; throws a `ChannelFailure` for any other address. */
export function toProxyAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ChannelFailure(
      'unsupported',
      'The proxy must be an address that begins with http:// or https://.',
    )
  return url.href
}

/** Creates the transport of a channel; `http_proxy` of its config may name a proxy. Throws a `ChannelFailure`. */
export async function createTransport(
  {
    config: { http_proxy },
    ...access
  }: Pick<ChannelSettings, 'fetch' | 'assertAllowed' | 'lookup'> & { config: { http_proxy?: string } },
  platform: string,
): Promise<Transport> {
  if (!http_proxy) return { fetch: access.fetch, close: async () => {} }
  const address = toProxyAddress(http_proxy)
  await assertProxyAllowed(address, access)
  const { Agent, buildConnector, fetch } = await import('undici')
  // Each tunnel looks up the proxy again, so the address is checked each time.
  const tunnels = createProxyTunnels(new URL(address), access.lookup, platform)
  const encrypt = buildConnector({ timeout: ENCRYPT_MS })
  const connect: buildConnector.connector = (options, callback) => {
    const { host = options.hostname, port, protocol } = options
    tunnels.open(port ? host : `${host}:${DEFAULT_PORTS[protocol]}`).then(
      (socket) =>
        protocol === 'https:'
          ? encrypt({ ...options, httpSocket: socket }, callback)
          : callback(null, socket),
      (error) => callback(error, null),
    )
  }
  const agent = new Agent({ connect, maxResponseSize: MAX_RESPONSE_BYTES })
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
    async tunnel({ host, port, isSecure }) {
      const socket = await tunnels.open(`${host}:${port}`)
      if (!isSecure) return socket
      const { connect: connectEncrypted } = await import('node:tls')
      return connectEncrypted({ socket, host, servername: isIP(host) ? '' : host })
    },
    async close() {
      tunnels.close()
      await agent.destroy()
    },
  }
}

async function assertProxyAllowed(
  address: string,
  { assertAllowed }: Pick<ChannelSettings, 'assertAllowed'>,
): Promise<void> {
  try {
    await assertAllowed(address)
  } catch (cause) {
    throw new ChannelFailure(
      'forbidden',
      'The proxy is in the server’s own or a private network, which channels may not access.',
      { cause },
    )
  }
}
