import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { openChatSocket } from './chat-socket.ts'
import type { Figure } from './figure.ts'
import { readRss } from './memory.ts'
import type { Service } from './service.ts'

const socketCount = 20
const turns = { first: 1000, all: 10_000 }
const settleMs = 3000
/** Longer than the driver keeps idle connections to the database. */
const idleMs = 15_000
/** Longer than V8 waits before it returns the memory of a process that rests. */
const restMs = 60_000

/** The number of open resources and listeners of the server, by kind. */
type Resources = Record<string, number>

/**
 * Measures leaks of 10,000 turns: heap in use compared with 1,000 turns, resident memory compared with that after the first,
 * and leftover handles, timers and listeners.
 */
export const measureSoak: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome(), INSPECT_ARGUMENTS)
  const inspector = await inspectService(service)
  const { chatUrl } = await stage.createAccount(service)
  const runTurns = async (count: number) => {
    for (let done = 0; done < count; done += socketCount)
      await Promise.all(sockets.map((socket) => socket.turn('Tell me something about the sea.')))
  }

  const warm = await openChatSocket(chatUrl)
  await warm.turn('Tell me something about the sea.')
  await warm.close()
  await sleep(settleMs)
  const residentBefore = await readRss(service.pid)
  await sleep(idleMs)
  const earlier = await readResources(inspector)
  const sockets = await Promise.all(Array.from({ length: socketCount }, () => openChatSocket(chatUrl)))
  await runTurns(turns.first)
  await sleep(settleMs)
  const early = await inspector.readHeapInUse()
  await runTurns(turns.all - turns.first)
  for (const socket of sockets) await socket.close()
  await sleep(idleMs)
  const left = compareResources(earlier, await readResources(inspector))
  await sleep(restMs)
  const residentAfter = await readRss(service.pid)
  const late = await inspector.readHeapInUse()
  inspector.close()
  const mib = (bytes: number) => bytes / 1024 / 1024
  return [
    { measure: 'heap in use after 1,000 turns', value: mib(early), unit: 'MiB' },
    { measure: 'after 10,000 turns', value: mib(late), unit: 'MiB' },
    { measure: '10,000 / 1,000', value: late / early, unit: 'ratio' },
    { measure: 'resident after the first turn', value: residentBefore / 1024, unit: 'MiB' },
    { measure: 'after 10,000 turns and a minute of rest', value: residentAfter / 1024, unit: 'MiB' },
    { measure: '10,000 / first', value: residentAfter / residentBefore, unit: 'ratio' },
    {
      measure: 'handles, timers and listeners left',
      value: left.reduce((sum, [, count]) => sum + count, 0),
      unit: 'pieces',
      note: left.map(([kind, count]) => `${kind} ${count}`).join(', '),
    },
  ]
}

const readResources = (inspector: Inspector) =>
  inspector.evaluate<Resources>(`(() => {
    const counts = {}
    for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
    for (const name of process.eventNames()) counts[String(name) + ' listeners'] = process.listenerCount(name)
    return counts
  })()`)

const compareResources = (earlier: Resources, later: Resources) =>
  [...new Set([...Object.keys(earlier), ...Object.keys(later)])]
    .map((kind) => [kind, (later[kind] ?? 0) - (earlier[kind] ?? 0)] as const)
    .filter(([, count]) => count !== 0)

/** The Node.js arguments of a process that `inspectService` can inspect. */
const INSPECT_ARGUMENTS = ['--inspect=127.0.0.1:0']

/** A debugger connection to the process of a service. */
interface Inspector {
  /** Returns the bytes of heap in use after a full garbage collection. */
  readHeapInUse(): Promise<number>
  /** Evaluates an expression in the process and returns its value. */
  evaluate<Value>(expression: string): Promise<Value>
  close(): void
}

/** Connects to a service that was started with `INSPECT_ARGUMENTS`. */
async function inspectService(service: Service): Promise<Inspector> {
  const url = /ws:\/\/\S+/.exec(service.output())?.[0]
  if (!url) throw new Error('the service was not started with an inspector')
  const socket = new WebSocket(url, { perMessageDeflate: false })
  await once(socket, 'open')
  const waiting = new Map<number, (result: never) => void>()
  let calls = 0
  socket.on('message', (data) => {
    const { id, result } = JSON.parse(String(data))
    waiting.get(id)?.(result as never)
    waiting.delete(id)
  })
  const call = <Result>(method: string, params: object = {}) =>
    new Promise<Result>((resolve) => {
      calls += 1
      waiting.set(calls, resolve)
      socket.send(JSON.stringify({ id: calls, method, params }))
    })
  const evaluate = async <Value>(expression: string) => {
    const { result } = await call<{ result: { value: Value } }>('Runtime.evaluate', {
      expression,
      returnByValue: true,
    })
    return result.value
  }
  return {
    evaluate,
    async readHeapInUse() {
      await call('HeapProfiler.collectGarbage')
      return evaluate<number>('process.memoryUsage().heapUsed')
    },
    close: () => socket.close(),
  }
}
