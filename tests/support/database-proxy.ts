import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { MongoClient } from 'mongodb'
import type { Test } from '../run/file-test.ts'
import { acquireDatabase } from './test-engine.ts'

/** A database whose connections a test can break or delay. */
interface DatabaseProxy {
  url: string
  /** The address of the database behind the proxy. */
  directUrl: string
  /** Breaks every open and new connection until `restore`. */
  cut(): void
  /** Cuts when a client is about to send this text. */
  cutAt(text: string): void
  /** Waits for an action each time before a client sends this text. */
  precede(text: string, action: () => Promise<unknown>): void
  restore(): void
  /** Holds back the database's answers until `release`. Resolves when the first answer is held back. */
  hold(): Promise<void>
  release(): void
  /** The number of bytes that clients have received from the database. */
  receivedBytes(): number
}

/** The time after which the driver reports that no database is reachable: below its default, to keep tests short. */
const SELECTION_MS = 1500

/** Starts a TCP proxy for a database on the server of `SVC_TEST_DATABASE_URL`, or on the engine of this process. */
export async function startDatabaseProxy(t: Test): Promise<DatabaseProxy> {
  const { directUrl, target, name } = await findTarget(t)
  const sockets = new Set<Socket>()
  let isCut = false
  let cutText: string | undefined
  let preceded: { text: string; action: () => Promise<unknown> } | undefined
  let receivedBytes = 0
  let onHeld: (() => void) | undefined
  const upstreams = new Set<Socket>()
  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(target)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
      // Errors are expected: this proxy breaks connections on purpose.
      socket.on('error', () => socket.destroy())
    }
    upstreams.add(upstream)
    client.on('data', (chunk) => {
      if (cutText !== undefined && chunk.includes(cutText)) return cut()
      if (!preceded || !chunk.includes(preceded.text)) return void upstream.write(chunk)
      client.pause()
      preceded.action().then(() => {
        upstream.write(chunk)
        client.resume()
      }, t.threw)
    })
    upstream.on('data', (chunk) => {
      if (onHeld) {
        upstream.pause()
        upstream.unshift(chunk)
        onHeld()
      } else {
        receivedBytes += chunk.length
        client.write(chunk)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  t.teardown(() => {
    breakAll()
    server.close()
  })
  const cut = () => {
    isCut = true
    cutText = undefined
    breakAll()
  }
  const { port } = server.address() as AddressInfo
  return {
    url: `mongodb://127.0.0.1:${port}/${name}?directConnection=true&serverSelectionTimeoutMS=${SELECTION_MS}`,
    directUrl,
    cut,
    cutAt(text) {
      cutText = text
    },
    precede(text, action) {
      preceded = { text, action }
    },
    restore() {
      isCut = false
    },
    receivedBytes: () => receivedBytes,
    hold: () =>
      new Promise((resolve) => {
        onHeld = resolve
      }),
    release() {
      onHeld = undefined
      for (const upstream of upstreams) upstream.resume()
    },
  }
}

/** Returns the address of the database server and the name of a database for this test. */
async function findTarget(t: Test): Promise<{ directUrl: string; target: NetConnectOpts; name: string }> {
  const { SVC_TEST_DATABASE_URL } = process.env
  if (!SVC_TEST_DATABASE_URL) {
    const { url } = await acquireDatabase(t)
    const { hostname, pathname } = new URL(url)
    return { directUrl: url, target: { path: decodeURIComponent(hostname) }, name: pathname.slice(1) }
  }
  const direct = new URL(SVC_TEST_DATABASE_URL)
  const { hostname, port } = direct
  const name = `svc-proxy-${randomUUID()}`
  direct.pathname = name
  t.teardown(async () => {
    const client = new MongoClient(SVC_TEST_DATABASE_URL)
    await client.db(name).dropDatabase()
    await client.close()
  })
  return { directUrl: direct.href, target: { host: hostname, port: Number(port) }, name }
}
