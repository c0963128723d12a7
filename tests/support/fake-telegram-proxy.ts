import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Test } from '../run/file-test.ts'

/** The behaviour of a proxy towards the next requests for a tunnel. */
type Mood = 'fine' | 'silent' | 'cutting' | { refusal: string }

/** An HTTP proxy on loopback that makes tunnels. */
export interface FakeProxy {
  /** The address without credentials, as `host:port`. */
  host: string
  mood: Mood
  /** The credentials of each request for a tunnel, as the header has them. */
  tunnels: (string | undefined)[]
  /** Cuts all tunnels. */
  cut(): void
}

/**
 * Starts a proxy that only accepts the given credentials, `user:password`; without them it accepts everybody. Names
 * that end with `.test` lead to loopback.
 */
export async function startFakeProxy(
  t: Test,
  { credentials, address = '127.0.0.1' }: { credentials?: string; address?: string } = {},
): Promise<FakeProxy> {
  const open = new Set<Socket>()
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`
  const server = createServer()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    // Tunnels are cut from both sides.
    socket.on('error', () => socket.destroy())
  })
  server.on('connect', ({ url, headers }, socket: Socket) => {
    const credentials = headers['proxy-authorization']
    proxy.tunnels.push(credentials)
    if (proxy.mood === 'silent') return
    if (proxy.mood === 'cutting') return socket.destroy()
    if (typeof proxy.mood === 'object') return socket.end(`HTTP/1.1 ${proxy.mood.refusal}\r\n\r\n`)
    if (expected && credentials !== expected)
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n')
    const { hostname, port } = new URL(`http://${url}`)
    const host = hostname.endsWith('.test') ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, '')
    const far = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      far.pipe(socket).pipe(far)
    })
    far.on('error', () => socket.destroy())
    socket.on('close', () => far.destroy())
  })
  await once(server.listen(0, address), 'listening')
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  t.teardown(() => {
    cut()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const proxy: FakeProxy = {
    host: `${address.includes(':') ? `[${address}]` : address}:${port}`,
    mood: 'fine',
    tunnels: [],
    cut,
  }
  return proxy
}
