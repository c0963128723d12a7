import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Has a request answered as if it had not asked for another protocol, which RFC 9110, 7.8, allows: clients offer h2c on
 * plain connections. Node has taken the connection out of HTTP by then, body unread, so the request is put back in front
 * of what follows without that wish, and the connection begins again.
 */
export function ignoreUpgrade(http: Server, incoming: IncomingMessage, stream: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = incoming
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name, value] = rawHeaders.slice(index, index + 2) as [string, string]
    const forwardedValue = /^connection$/i.test(name) ? withoutWish(value) : value
    if (!/^(upgrade|http2-settings)$/i.test(name) && forwardedValue !== '')
      lines.push(`${name}: ${forwardedValue}`)
  }
  stream.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  http.emit('connection', stream)
}

const withoutWish = (connection: string) =>
  connection
    .split(',')
    .map((option) => option.trim())
    .filter((option) => !/^(upgrade|http2-settings)$/i.test(option))
    .join(', ')
