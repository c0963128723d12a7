import { request as requestPlain } from 'node:http'
import { request as requestEncrypted } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { ChannelFailure } from '../channel-failure.ts'
import { decodePercent } from './text.ts'

/** Time limit for a tunnel, in milliseconds. */
const TUNNEL_MS = 10_000

/** The ports of addresses that name none. */
export const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 }

/**
 * Creates the tunnels through one proxy to a platform, whose name is for errors. Undici has an agent for proxies, but it
 * asks a proxy that cuts connections again without a pause or an end, and sends no credentials without a password.
 */
export function createProxyTunnels(proxy: URL, lookup: LookupFunction, platform: string) {
  const closing = new AbortController()
  const request = proxy.protocol === 'https:' ? requestEncrypted : requestPlain
  const authorization = toAuthorization(proxy)
  const toRefusal = (status: number) =>
    new ChannelFailure(
      status === 407 ? 'invalid_credentials' : 'unreachable',
      `The proxy refused to connect to ${platform} with status ${status}.`,
    )

  return {
    /** Resolves with a socket to `host:port`. Rejects with a `ChannelFailure` if the proxy refuses, or with its error. */
    open: (authority: string) =>
      new Promise<Socket>((resolve, reject) => {
        const tunnelRequest = request({
          method: 'CONNECT',
          host: proxy.hostname.replace(/^\[|\]$/g, ''),
          port: proxy.port || DEFAULT_PORTS[proxy.protocol],
          path: authority,
          headers: { host: authority, ...(authorization && { 'proxy-authorization': authorization }) },
          agent: false,
          lookup,
          signal: closing.signal,
        })
        const timer = setTimeout(
          () => tunnelRequest.destroy(new ChannelFailure('timeout', 'The proxy did not answer in time.')),
          TUNNEL_MS,
        )
        tunnelRequest.once('close', () => clearTimeout(timer))
        tunnelRequest.once('error', reject)
        tunnelRequest.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
          clearTimeout(timer)
          if (statusCode < 200 || statusCode >= 300) {
            socket.destroy()
            return reject(toRefusal(statusCode))
          }
          if (head.length > 0) socket.unshift(head)
          resolve(socket)
        })
        tunnelRequest.end()
      }),
    close: () => closing.abort(),
  }
}

/** Returns the header with the credentials in the address of a proxy; undefined if there are none. */
function toAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return
  const credentials = `${decodePercent(username)}:${decodePercent(password)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}
