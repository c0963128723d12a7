import { ChannelFailure, type ChannelSettings } from '#plugin-api'
import type { EndpointRequest } from './client-library.ts'
import { startDeadline, toTransportFailure } from './failure.ts'
import { assertSuccess, isRecord, readReply } from './reply.ts'
import type { Scrubber } from './scrubber.ts'

/** The reply that the library expects. */
interface EndpointReply {
  code: 0
  data: { URL: string; ClientConfig: Record<string, number> }
}

const TIMEOUT_MS = 15_000

/** Minimum, maximum and default; in seconds, except for the count. */
const BOUNDS: Record<string, [least: number, most: number, usual: number]> = {
  PingInterval: [1, 600, 120],
  ReconnectInterval: [1, 120, 120],
  ReconnectNonce: [0, 30, 30],
  ReconnectCount: [-1, 1_000_000, -1],
}

/** Bounds the settings. The library does not check them, and a timer without a valid number runs without a pause. */
const boundedConfig = (config: unknown) =>
  Object.fromEntries(
    Object.entries(BOUNDS).map(([name, [least, most, usual]]) => {
      const value = isRecord(config) ? config[name] : undefined
      return [name, typeof value === 'number' ? Math.min(Math.max(value, least), most) : usual]
    }),
  )

/** Creates the request for the socket's address, which replaces the library's own and checks the reply. */
export function createEndpoint(
  { fetch, assertAllowed }: Pick<ChannelSettings, 'fetch' | 'assertAllowed'>,
  scrubber: Scrubber,
  life: AbortSignal,
) {
  return async ({ url, data, headers }: EndpointRequest): Promise<EndpointReply> => {
    const deadline = startDeadline(TIMEOUT_MS, life)
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(data),
        redirect: 'error',
        signal: deadline.signal,
      })
      const reply = await readReply(response)
      assertSuccess(response, reply, scrubber)
      const address = socketAddress(reply.data?.URL, url)
      await assertAllowed(address)
      return { code: 0, data: { URL: address, ClientConfig: boundedConfig(reply.data?.ClientConfig) } }
    } catch (error) {
      throw toTransportFailure(error, deadline.signal)
    } finally {
      deadline.release()
    }
  }
}

/** Returns the address of the socket, which must be encrypted if the API is. */
function socketAddress(address: unknown, api: string): string {
  const wanted = new URL(api).protocol === 'https:' ? 'wss:' : 'ws:'
  if (typeof address === 'string' && URL.canParse(address) && new URL(address).protocol === wanted)
    return address
  throw new ChannelFailure('unknown', 'Feishu returned no address to connect to.')
}
