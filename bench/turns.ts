import { type ChatSocket, openChatSocket } from './chat-socket.ts'
import { type Figure, median, type Row, spread } from './figure.ts'
import { readCpuMs } from './service.ts'

const socketCount = 50
const rounds = 5
const leadInMs = 500
const windowMs = 1600

/**
 * Measures the turns per second of 50 sockets that always run a turn, of the service and of the relay, and of a relay
 * that does nothing but store turns in the same engine.
 */
export const measureTurns: Figure = async (stage) => {
  const relay = await stage.relay()
  const relaySockets = await openSockets(relay.url)
  const service = await stage.startService(await stage.createHome())
  const { chatUrl } = await stage.createAccount(service)
  const serviceSockets = await openSockets(chatUrl)
  const durable = await stage.startDurableRelay(service)
  const durableSockets = await openSockets(durable.url)

  for (const sockets of [relaySockets, serviceSockets, durableSockets]) await countTurns(sockets)
  const engine = await service.engine()
  const relayed: Window[] = []
  const served: Window[] = []
  const stored: Window[] = []
  for (let round = 0; round < rounds; round++) {
    relayed.push(await countTurns(relaySockets, [relay.pid]))
    served.push(await countTurns(serviceSockets, [service.pid, engine.pid]))
    stored.push(await countTurns(durableSockets, [durable.pid, engine.pid]))
  }
  const [relayRates, serviceRates, durableRates] = [relayed, served, stored].map((windows) =>
    windows.map(({ rate }) => rate),
  ) as [number[], number[], number[]]
  const medianCpuMs = (windows: Window[], process: number) =>
    median(windows.map(({ cpuMs }) => cpuMs[process]!))
  const toRow = (measure: string, rates: number[]): Row => ({
    measure,
    value: median(rates),
    unit: 'turns/s',
    note: `median of ${rounds} windows, ${spread(rates)}`,
  })
  return [
    toRow('relay, 50 sockets', relayRates),
    toRow('service, 50 sockets', serviceRates),
    toRow('durable relay, 50 sockets', durableRates),
    { measure: 'service / relay', value: median(serviceRates) / median(relayRates), unit: 'ratio' },
    { measure: 'durable relay / relay', value: median(durableRates) / median(relayRates), unit: 'ratio' },
    { measure: 'relay, CPU a turn', value: medianCpuMs(relayed, 0), unit: 'ms' },
    { measure: 'server, CPU a turn', value: medianCpuMs(served, 0), unit: 'ms' },
    { measure: 'engine, CPU a turn', value: medianCpuMs(served, 1), unit: 'ms' },
    { measure: 'durable relay, CPU a turn', value: medianCpuMs(stored, 0), unit: 'ms' },
    { measure: 'its engine, CPU a turn', value: medianCpuMs(stored, 1), unit: 'ms' },
  ]
}

/** The turns per second of a time window, and the processor time per turn of each watched process. */
export interface Window {
  rate: number
  cpuMs: number[]
}

/** Opens the sockets that run turns. */
export const openSockets = (url: string) =>
  Promise.all(Array.from({ length: socketCount }, () => openChatSocket(url)))

/** Counts the turns that end within a window, which opens when all sockets run turns. Waits for the end of all turns. */
export async function countTurns(sockets: ChatSocket[], pids: number[] = []): Promise<Window> {
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
