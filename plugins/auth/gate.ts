import { AppError } from '#kernel'

/** Lets `concurrency` pieces of work for one key run at a time, in order of arrival; keys are independent. */
export interface Gate {
  /** Throws LOGIN_BUSY where too many wait for this key already. */
  run<Value>(key: string, work: () => Promise<Value>): Promise<Value>
}

/** Makes a gate; a key takes memory only while something runs for it. */
export function createGate({ concurrency, maxWaiting }: { concurrency: number; maxWaiting: number }): Gate {
  const lanes = new Map<string, { running: number; waiting: (() => void)[] }>()
  return {
    async run(key, work) {
      const lane = lanes.get(key) ?? { running: 0, waiting: [] }
      lanes.set(key, lane)
      if (lane.running < concurrency) lane.running++
      else {
        if (lane.waiting.length >= maxWaiting) throw new AppError('LOGIN_BUSY', { retry_after_seconds: 1 })
        await new Promise<void>((resolve) => lane.waiting.push(resolve))
      }
      try {
        return await work()
      } finally {
        const next = lane.waiting.shift()
        if (next) next()
        else if (--lane.running === 0) lanes.delete(key)
      }
    },
  }
}
