import { type ChatSocket, openChatSocket } from './chat-socket.ts'
import { readCpuMs } from './cpu.ts'
import type { Figure } from './figure.ts'
import { median, spread } from './statistics.ts'

const socketCount = 50
const rounds = 5
const leadInMs = 500
const windowMs = 1600

/** Turns per second at 50 sockets, each with a turn always under way, beside the plain relay. */
export const measureTurns: Figure = async (stage) => {
  const relaySockets = await openSockets(await stage.relayUrl())
  const service = await stage.startService(await stage.createHome())
  const { chatUrl } = await stage.createAccount(service)
  const serviceSockets = await openSockets(chatUrl)

  await countTurns(relaySockets)
  await countTurns(serviceSockets)
  const engine = await service.engine()
  const relay: Window[] = []
  const served: Window[] = []
  for (let round = 0; round < rounds; round++) {
    relay.push(await countTurns(relaySockets))
    served.push(await countTurns(serviceSockets, [service.pid, engine.pid]))
  }
  const ratesOf = (windows: Window[]) => windows.map(({ rate }) => rate)
  const cpuOf = (index: number) => median(served.map(({ cpuMs }) => cpuMs[index]!))

  const noteOf = (windows: Window[]) => `median of ${rounds} windows, ${spread(ratesOf(windows))}`
  return [
    { measure: 'relay, 50 sockets', value: median(ratesOf(relay)), unit: 'turns/s', note: noteOf(relay) },
    { measure: 'service, 50 sockets', value: median(ratesOf(served)), unit: 'turns/s', note: noteOf(served) },
    { measure: 'service / relay', value: median(ratesOf(served)) / median(ratesOf(relay)), unit: 'ratio' },
    { measure: 'server, CPU a turn', value: cpuOf(0), unit: 'ms' },
    { measure: 'engine, CPU a turn', value: cpuOf(1), unit: 'ms' },
  ]
}

/** Turns a second, and the processor time that each watched process took for one, in milliseconds. */
interface Window {
  rate: number
  cpuMs: number[]
}

const openSockets = (url: string) =>
  Promise.all(Array.from({ length: socketCount }, () => openChatSocket(url)))

/** Turns that end per second of a window which opens when all sockets are under way; all end before it returns. */
async function countTurns(sockets: ChatSocket[], pids: number[] = []): Promise<Window> {
  const from = performance.now() + leadInMs
  const to = from + windowMs
  const cpuBefore = await Promise.all(pids.map(readCpuMs))
  let count = 0
  let all = 0
  const drive = async (socket: ChatSocket) => {
    for (let now = 0; now < to; ) {
      await socket.turn('Tell me something about the sea.')
      now = performance.now()
      all++
      if (now >= from && now < to) count++
    }
  }
  await Promise.all(sockets.map(drive))
  const cpuAfter = await Promise.all(pids.map(readCpuMs))
  return {
    rate: count / (windowMs / 1000),
    cpuMs: cpuAfter.map((ms, index) => (ms - cpuBefore[index]!) / all),
  }
}
