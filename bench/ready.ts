import { setTimeout as sleep } from 'node:timers/promises'
import { openChatSocket } from './chat-socket.ts'
import { type Figure, median, spread } from './figure.ts'
import type { Stage } from './stage.ts'

const secondStarts = 5
/** By then a server has loaded what its first turn needs. */
const quietMs = 4000

/**
 * Measures the time from spawning the process to its first healthy answer, on an empty and on a used home, and to the
 * first text of the first turn of a process.
 */
export const measureReady: Figure = async (stage) => {
  const home = await stage.createHome()
  const startOnce = async () => {
    const service = await stage.startService(home)
    await service.stop()
    return service.readyMs
  }
  const first = await startOnce()
  const later: number[] = []
  for (let start = 0; start < secondStarts; start++) later.push(await startOnce())
  const turns = await measureFirstTurns(stage)
  return [
    { measure: 'first start', value: first, unit: 'ms', note: 'empty home' },
    {
      measure: 'second start',
      value: median(later),
      unit: 'ms',
      note: `median of ${secondStarts}, ${spread(later)}`,
    },
    ...['first', 'second'].map((name, turn) => ({
      measure: `${name} turn, first text`,
      value: median(turns.map((times) => times[turn]!)),
      unit: 'ms',
      note: `${quietMs / 1000} s after a start, median of ${secondStarts}`,
    })),
  ]
}

/** Returns the milliseconds until the first text of the first two turns of processes that start one after the other. */
async function measureFirstTurns(stage: Stage): Promise<number[][]> {
  const home = await stage.createHome()
  const service = await stage.startService(home)
  const chat = new URL((await stage.createAccount(service)).chatUrl)
  await service.stop()
  const turns: number[][] = []
  for (let start = 0; start < secondStarts; start++) {
    const started = await stage.startService(home)
    await sleep(quietMs)
    chat.host = new URL(started.url).host
    const socket = await openChatSocket(chat.href)
    turns.push([await socket.turn('Hello.'), await socket.turn('Hello.')])
    await socket.close()
    await started.stop()
  }
  return turns
}
