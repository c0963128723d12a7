import { type ChatSocket, openChatSocket } from './chat-socket.ts'
import { type Figure, quantile, type Row } from './figure.ts'
import { readCpuMs } from './service.ts'

/** The numbers of sockets that always run a turn. */
const STREAMS = [50, 400]
const TURNS = 4
/** The upstream obeys it: the pause between two of the 50 tokens. */
const ASKED = 'Tell me something about the sea, a word each 20 ms.'

/** Measures turns whose tokens come one by one, of the service, of the relay, and of one that stores turns. */
export const measurePaced: Figure = async (stage) => {
  const relay = await stage.relay()
  const service = await stage.startService(await stage.createHome())
  const { chatUrl } = await stage.createAccount(service)
  const { pid } = await service.engine()
  const durable = await stage.startDurableRelay(service)
  const rows: Row[] = []
  for (const streams of STREAMS) {
    const served = await measure(await openSockets(chatUrl, streams), [service.pid, pid])
    const relayed = await measure(await openSockets(relay.url, streams), [relay.pid])
    const stored = await measure(await openSockets(durable.url, streams), [durable.pid, pid])
    const note = `${streams} streams`
    rows.push(
      { measure: 'server and engine, CPU a turn', value: served.cpuMs, unit: 'ms', note },
      { measure: 'relay, CPU a turn', value: relayed.cpuMs, unit: 'ms', note },
      { measure: 'durable relay and engine, CPU a turn', value: stored.cpuMs, unit: 'ms', note },
      {
        measure: 'tokens a second, durable relay / relay',
        value: relayed.ms / stored.ms,
        unit: 'ratio',
        note,
      },
      { measure: 'tokens a second, service / relay', value: relayed.ms / served.ms, unit: 'ratio', note },
      { measure: 'first token, p95', value: served.firstP95, unit: 'ms', note },
      { measure: 'first token of the durable relay, p95', value: stored.firstP95, unit: 'ms', note },
      { measure: 'first token of the relay, p95', value: relayed.firstP95, unit: 'ms', note },
    )
  }
  return rows
}

const openSockets = (url: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => openChatSocket(url)))

/** Runs turns on all sockets at once, and closes them. */
async function measure(sockets: ChatSocket[], pids: number[]) {
  const run = async (turns: number) => {
    const firsts: number[] = []
    await Promise.all(
      sockets.map(async (socket) => {
        for (let turn = 0; turn < turns; turn++) firsts.push(await socket.turn(ASKED))
      }),
    )
    return firsts
  }
  const readAll = async () => (await Promise.all(pids.map(readCpuMs))).reduce((sum, ms) => sum + ms, 0)
  await run(1)
  const [from, cpuBefore] = [performance.now(), await readAll()]
  const firsts = await run(TURNS)
  const [ms, cpuMs] = [performance.now() - from, (await readAll()) - cpuBefore]
  await Promise.all(sockets.map((socket) => socket.close()))
  return { ms, cpuMs: cpuMs / (sockets.length * TURNS), firstP95: quantile(firsts, 0.95) }
}
