import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { joinEngine } from '../../kernel/database/engine.ts'
import { createHome } from './server.ts'

/** A database whose network a test can take away. */
export interface DatabaseProxy {
  /** With a database of its own in it. */
  url: string
  /** Without the name of a database. */
  serverUrl: string
  /** Breaks every connection, and each new one, until `restore`. */
  cut(): void
  restore(): void
  /** Keeps the database's answers back until `release`; resolves with the first that was kept. */
  hold(): Promise<void>
  release(): void
}

/** Puts a TCP proxy before a database: the one that the suite is pointed at, else an engine of its own. */
export async function startDatabaseProxy(t: Test): Promise<DatabaseProxy> {
  const target = await findTarget(t)
  const sockets = new Set<Socket>()
  let away = false
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
      } else client.write(chunk)
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
  const serverUrl = `mongodb://127.0.0.1:${port}/?directConnection=true`
  return {
    url: serverUrl.replace('/?', `/svc-proxy-${process.pid}-${port}?`),
    serverUrl,
    cut() {
      away = true
      breakAll()
    },
    restore() {
      away = false
    },
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

async function findTarget(t: Test): Promise<NetConnectOpts> {
  const { SVC_TEST_DATABASE_URL } = process.env
  if (SVC_TEST_DATABASE_URL) {
    const { hostname, port } = new URL(SVC_TEST_DATABASE_URL)
    return { host: hostname, port: Number(port) }
  }
  const home = createHome(t)
  const log = { info() {}, warn() {}, error() {} }
  const engine = await joinEngine({
    directory: join(home, 'db'),
    runtimeDirectory: join(home, 'runtime'),
    log,
  })
  t.teardown(() => engine.close())
  return { path: decodeURIComponent(new URL(engine.uri).hostname) }
}
