import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Test } from '../run/file-test.ts'

/** An address in front of a server whose connections a test can break. */
export interface Relay {
  url: string
  /** The connections that were opened so far. */
  readonly opened: number
  /** Breaks every open connection. */
  cut(): void
  /** Breaks the connection that passes the next `bytes` of the server. */
  cutAfter(bytes: number): void
  /** Passes nothing on, in either direction, on the connections that are open now. */
  freeze(): void
}

/** Starts a TCP relay to the server that `target` names at the time of each connection. */
export async function startRelay(t: Test, target: () => string): Promise<Relay> {
  const pairs = new Set<[Socket, Socket]>()
  let opened = 0
  let bytesLeft = Number.POSITIVE_INFINITY
  const server = createServer((client) => {
    opened += 1
    const { hostname, port } = new URL(target())
    const upstream = connect(Number(port), hostname)
    const pair: [Socket, Socket] = [client, upstream]
    pairs.add(pair)
    for (const socket of pair) {
      // Broken connections are the purpose of this relay.
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        pairs.delete(pair)
        for (const other of pair) other.destroy()
      })
    }
    client.on('data', (chunk) => upstream.write(chunk))
    upstream.on('data', (chunk) => {
      bytesLeft -= chunk.length
      if (bytesLeft > 0) return client.write(chunk)
      client.write(chunk.subarray(0, chunk.length + bytesLeft))
      bytesLeft = Number.POSITIVE_INFINITY
      client.end(() => upstream.destroy())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const [client] of pairs) client.destroy()
  }
  t.teardown(() => {
    cut()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get opened() {
      return opened
    },
    cut,
    cutAfter(bytes) {
      bytesLeft = bytes
    },
    freeze() {
      for (const pair of pairs) for (const socket of pair) socket.removeAllListeners('data').pause()
    },
  }
}
