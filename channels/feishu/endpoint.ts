import { ChannelFailure, type ChannelSettings } from '#plugin-api'
import type { EndpointRequest } from './client-library.ts'
import { startDeadline } from './deadline.ts'
import { sortTransportError } from './failure.ts'
import { assertSuccess, isRecord, readReply } from './reply.ts'
import type { Scrubber } from './scrubber.ts'

/** What the library makes of the platform's answer. */
export interface EndpointReply {
  code: 0
  data: { URL: string; ClientConfig: Record<string, number> }
}

const TIMEOUT_MS = 15_000

/** The least, the most, and what counts where the platform says nothing; in seconds, but for the count. */
const BOUNDS: Record<string, [least: number, most: number, usual: number]> = {
  PingInterval: [1, 600, 120],
  ReconnectInterval: [1, 120, 120],
  ReconnectNonce: [0, 30, 30],
  ReconnectCount: [-1, 1_000_000, -1],
}

/** The library would take anything for a number, and a timer without one runs without a pause. */
const boundedConfig = (config: unknown) =>
  Object.fromEntries(
    Object.entries(BOUNDS).map(([name, [least, most, usual]]) => {
      const value = isRecord(config) ? config[name] : undefined
      return [name, typeof value === 'number' ? Math.min(Math.max(value, least), most) : usual]
    }),
  )

/** Asks where to connect to, in the library's place: checks what comes back, and throws what it knows of a failure. */
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
      throw sortTransportError(error, deadline.signal)
    } finally {
      deadline.release()
    }
  }
}

/** The address of the socket, which must be as safe as the API's own. */
function socketAddress(address: unknown, api: string): string {
  const wanted = new URL(api).protocol === 'https:' ? 'wss:' : 'ws:'
  if (typeof address === 'string' && URL.canParse(address) && new URL(address).protocol === wanted)
    return address
  throw new ChannelFailure('unknown', 'Feishu gave no address to connect to.')
}
