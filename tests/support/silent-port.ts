import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Test } from '../run/file-test.ts'

/** A port whose queue of connections is full, so that the system answers no request for another one. */
interface SilentPort {
  port: number
  /** Lets the server accept connections; it answers HTTP with the address at which it was reached. */
  wake(): void
}

/** Number of connections that certainly fill a queue of one. */
const MAX_QUEUED = 8
/** A connection that was not made after this long waits outside the queue, in milliseconds. */
const PATIENCE_MS = 60

/** The program of the server: its thread sleeps, so that nothing accepts connections. */
const PROGRAM = `
  const { createServer } = require('node:http')
  const { parentPort, workerData: { host, flag } } = require('node:worker_threads')
  const server = createServer((request, response) => response.end(request.socket.localAddress))
  server.listen({ host, port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(flag, 0, 0)
  })`

/** Starts a server on loopback that keeps silent. */
export async function startSilentPort(t: Test, host: string): Promise<SilentPort> {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(PROGRAM, { eval: true, workerData: { host, flag } })
  const wake = () => {
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
  }
  const queued: Socket[] = []
  t.teardown(async () => {
    for (const socket of queued) socket.destroy()
    wake()
    await worker.terminate()
  })
  const [port] = (await once(worker, 'message')) as [number]
  for (;;) {
    const socket = connect(port, host)
    // Connections are cut when the test ends.
    socket.on('error', () => {})
    queued.push(socket)
    await Promise.race([once(socket, 'connect'), sleep(PATIENCE_MS)])
    if (socket.connecting) break
    if (queued.length > MAX_QUEUED) throw new Error('the queue of connections cannot be filled')
  }
  return { port, wake }
}
