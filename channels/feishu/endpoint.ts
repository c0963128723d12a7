import { ChannelFailure, type ChannelSettings, isObject, untilAborted } from '#plugin-api'
import { type FeishuConfig, findDomain } from './config.ts'
import { startDeadline, toTransportFailure } from './failure.ts'
import { assertSuccess, readReply } from './reply.ts'
import type { Scrubber } from './scrubber.ts'

/** The address of one socket, and the platform's settings for it. */
export interface Endpoint {
  /** Contains a ticket, which is a secret. */
  address: URL
  /** The service that pings are addressed to. */
  service: number
  pingMs: number
  reconnect: ReconnectSettings
}

/** The platform's settings for reconnecting. */
export interface ReconnectSettings {
  /** The pause before the first attempt is a random part of this. */
  spreadMs: number
  /** The pause before further attempts. */
  intervalMs: number
  /** The number of attempts; negative if there is no limit. */
  attempts: number
}

const TIMEOUT_MS = 15_000

const MAX_SERVICE = 2 ** 31 - 1

/** Requests the address of a socket with the app's credentials. */
export async function findSocketEndpoint(
  settings: Pick<ChannelSettings<FeishuConfig>, 'config' | 'endpoints' | 'fetch' | 'assertAllowed'>,
  scrubber: Scrubber,
  life: AbortSignal,
): Promise<Endpoint> {
  const { config, fetch, assertAllowed } = settings
  const url = `${findDomain(settings)}/callback/ws/endpoint`
  const deadline = startDeadline(TIMEOUT_MS, life)
  try {
    const response = await fetch(url, {
      method: 'POST',
      // The language of refusals.
      headers: { 'content-type': 'application/json', locale: 'zh' },
      body: JSON.stringify({ AppID: config.app_id, AppSecret: config.app_secret }),
      redirect: 'error',
      signal: deadline.signal,
    })
    const reply = await readReply(response)
    assertSuccess(response, reply, scrubber)
    const address = toSocketAddress(reply.data?.URL, url)
    await untilAborted(deadline.signal, assertAllowed(address.href))
    return { address, ...readSettings(address, reply.data?.ClientConfig) }
  } catch (error) {
    throw toTransportFailure(error, deadline.signal)
  } finally {
    deadline.release()
  }
}

/** Reads the address of the socket, which must be encrypted if the API is. */
function toSocketAddress(text: unknown, api: string): URL {
  const protocol = new URL(api).protocol === 'https:' ? 'wss:' : 'ws:'
  if (typeof text === 'string' && URL.canParse(text)) {
    const address = new URL(text)
    if (address.protocol === protocol) return address
  }
  throw new ChannelFailure('unknown', 'Feishu returned no address to connect to.')
}

function readSettings({ searchParams }: URL, clientConfig: unknown): Omit<Endpoint, 'address'> {
  const config = isObject(clientConfig) ? clientConfig : {}
  return {
    service: bound(Number(searchParams.get('service_id')), { least: 0, most: MAX_SERVICE, usual: 0 }),
    pingMs: 1000 * bound(config.PingInterval, { least: 1, most: 600, usual: 120 }),
    reconnect: {
      spreadMs: 1000 * bound(config.ReconnectNonce, { least: 0, most: 30, usual: 30 }),
      intervalMs: 1000 * bound(config.ReconnectInterval, { least: 1, most: 120, usual: 120 }),
      attempts: bound(config.ReconnectCount, { least: -1, most: 1_000_000, usual: -1 }),
    },
  }
}

/** Bounds an integer: a timer without a valid number runs without a pause. */
function bound(
  value: unknown,
  { least, most, usual }: { least: number; most: number; usual: number },
): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return usual
  return Math.trunc(Math.min(Math.max(value, least), most))
}
