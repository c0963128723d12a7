import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Answers a request as if it had not asked for another protocol, as RFC 9110, 7.8, allows: clients offer h2c on plain
 * connections. Node has taken the connection out of HTTP by then, with the body unread, so the request is put back
 * without its `Upgrade`, and the connection begins again.
 */
export function ignoreUpgrade(http: Server, incoming: IncomingMessage, stream: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = incoming
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name, value] = rawHeaders.slice(index, index + 2) as [string, string]
    const forwardedValue = /^connection$/i.test(name) ? withoutUpgrade(value) : value
    if (!/^(upgrade|http2-settings)$/i.test(name) && forwardedValue !== '')
      lines.push(`${name}: ${forwardedValue}`)
  }
  stream.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  http.emit('connection', stream)
}

const withoutUpgrade = (connection: string) =>
  connection
    .split(',')
    .map((option) => option.trim())
    .filter((option) => !/^(upgrade|http2-settings)$/i.test(option))
    .join(', ')

/**
 * Ends replies of which the client reads nothing for so many milliseconds: each unread reply holds a connection, and
 * often a file.
 */
export function endStalledReplies(http: Server, milliseconds: number): void {
  http.on('request', (_, reply) => {
    reply.setTimeout(milliseconds, () => {
      // If nothing waits for the client, the client waits for the handler.
      if (reply.writableLength > 0) reply.destroy()
    })
  })
}
