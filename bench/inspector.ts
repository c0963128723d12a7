import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Service } from './service.ts'

/** What Node.js is started with so that `inspectService` can look into it. */
export const INSPECTED = ['--inspect=127.0.0.1:0']

/** The inside of a service's process. */
export interface Inspector {
  /** Bytes on the heap that are still in use after a full collection. */
  readHeapInUse(): Promise<number>
  /** The value of an expression, evaluated in the process. */
  evaluate<Value>(expression: string): Promise<Value>
  close(): void
}

/** Looks into a service that was started with `INSPECTED`. */
export async function inspectService(service: Service): Promise<Inspector> {
  const url = /ws:\/\/\S+/.exec(service.output())?.[0]
  if (!url) throw new Error('the service was not started to be looked into')
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
