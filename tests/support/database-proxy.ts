import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { MongoClient } from 'mongodb'
import type { Test } from 'tap'
import { lendDatabase } from './test-engine.ts'

/** A database whose network a test can take away. */
export interface DatabaseProxy {
  url: string
  /** Breaks every connection, and each new one, until `restore`. */
  cut(): void
  restore(): void
  /** Keeps the database's answers back until `release`; resolves with the first that was kept. */
  hold(): Promise<void>
  release(): void
  /** How many bytes the database has answered so far. */
  answered(): number
}

/** How long a server looks for a database that is away before it says so: less than the default, tests wait for it. */
const SELECTION_MS = 1500

/** Puts a TCP proxy before a database: the one that the suite is pointed at, else the engine of this process. */
export async function startDatabaseProxy(t: Test): Promise<DatabaseProxy> {
  const { target, name } = await findTarget(t)
  const sockets = new Set<Socket>()
  let away = false
  let answered = 0
  let kept: (() => void) | undefined
  const upstreams = new Set<Socket>()
  const server = createServer((client) => {
    if (away) {
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
      // The other side going away is what this proxy is for.
      socket.on('error', () => socket.destroy())
    }
    upstreams.add(upstream)
    client.on('data', (chunk) => upstream.write(chunk))
    upstream.on('data', (chunk) => {
      if (kept) {
        upstream.pause()
        upstream.unshift(chunk)
        kept()
      } else {
        answered += chunk.length
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
  const { port } = server.address() as AddressInfo
  return {
    url: `mongodb://127.0.0.1:${port}/${name}?directConnection=true&serverSelectionTimeoutMS=${SELECTION_MS}`,
    cut() {
      away = true
      breakAll()
    },
    restore() {
      away = false
    },
    answered: () => answered,
    hold: () =>
      new Promise((resolve) => {
        kept = resolve
      }),
    release() {
      kept = undefined
      for (const upstream of upstreams) upstream.resume()
    },
  }
}

/** Where the database server listens, and the name of a database of the test's own on it. */
async function findTarget(t: Test): Promise<{ target: NetConnectOpts; name: string }> {
  const { SVC_TEST_DATABASE_URL } = process.env
  if (!SVC_TEST_DATABASE_URL) {
    const { hostname, pathname } = new URL((await lendDatabase(t)).url)
    return { target: { path: decodeURIComponent(hostname) }, name: pathname.slice(1) }
  }
  const { hostname, port } = new URL(SVC_TEST_DATABASE_URL)
  const name = `svc-proxy-${randomUUID()}`
  t.teardown(async () => {
    const client = new MongoClient(SVC_TEST_DATABASE_URL)
    await client.db(name).dropDatabase()
    await client.close()
  })
  return { target: { host: hostname, port: Number(port) }, name }
}
