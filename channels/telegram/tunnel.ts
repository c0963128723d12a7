import { request as requestPlain } from 'node:http'
import { request as requestEncrypted } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { ChannelFailure } from '#plugin-api'
import { CONNECT_ATTEMPT_MS } from '#toolbox'

/** Opens connections through an HTTP proxy, for an `Agent` of undici. */
interface Tunnels {
  connect: buildConnector.connector
  /** Ends the requests for tunnels; the connections belong to the agent. */
  close(): void
}

/** Time limit for a tunnel, in milliseconds. */
const TUNNEL_MS = 10_000

const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 }

/**
 * Creates the tunnels through one proxy. Undici has an agent for proxies, but it asks a proxy that cuts connections
 * again without a pause or an end, and sends no credentials without a password.
 */
export async function createTunnels(proxy: URL, lookup: LookupFunction): Promise<Tunnels> {
  const { buildConnector } = await import('undici')
  const encrypt = buildConnector({ timeout: TUNNEL_MS })
  const closing = new AbortController()
  const request = proxy.protocol === 'https:' ? requestEncrypted : requestPlain
  const authorization = toAuthorization(proxy)

  function openTunnel(authority: string): Promise<Socket> {
    return new Promise((resolve, reject) => {
      // A variable, because the type of requests lacks the options of connections.
      const options = {
        method: 'CONNECT',
        host: proxy.hostname.replace(/^\[|\]$/g, ''),
        port: proxy.port || DEFAULT_PORTS[proxy.protocol],
        path: authority,
        headers: { host: authority, ...(authorization && { 'proxy-authorization': authorization }) },
        agent: false,
        lookup,
        autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_MS,
        signal: closing.signal,
      }
      const asked = request(options)
      const late = () => asked.destroy(new ChannelFailure('timeout', 'The proxy did not answer in time.'))
      const timer = setTimeout(late, TUNNEL_MS)
      asked.once('close', () => clearTimeout(timer))
      asked.once('error', reject)
      asked.once('connect', ({ statusCode = 0 }, socket: Socket) => {
        clearTimeout(timer)
        if (statusCode >= 200 && statusCode < 300) return resolve(socket)
        socket.destroy()
        reject(toRefusal(statusCode))
      })
      asked.end()
    })
  }

  return {
    connect(options, callback) {
      const { host = options.hostname, port, protocol } = options
      openTunnel(port ? host : `${host}:${DEFAULT_PORTS[protocol]}`).then(
        (socket) =>
          protocol === 'https:'
            ? encrypt({ ...options, httpSocket: socket }, callback)
            : callback(null, socket),
        (error) => callback(error, null),
      )
    },
    close: () => closing.abort(),
  }
}

/** Returns the header with the credentials in the address of a proxy; undefined if there are none. */
function toAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return
  const credentials = `${decode(username)}:${decode(password)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

/** Decodes a part of an address; one with a bare percent sign means itself. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function toRefusal(status: number): ChannelFailure {
  const reason = status === 407 ? 'invalid_credentials' : 'unreachable'
  return new ChannelFailure(reason, `The proxy refused to connect to Telegram with status ${status}.`)
}
