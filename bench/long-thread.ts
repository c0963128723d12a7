import { MongoClient } from 'mongodb'
import { openChatSocket } from './chat-socket.ts'
import { type Figure, median } from './figure.ts'
import { seedThread } from './seed.ts'
import { readCpuMs } from './service.ts'

const lengths = [100, 10_000]
const warmUp = 40
const rounds = 5
const turnsARound = 40

/** Measures the processor time of a turn, of server and engine together, in threads of 100 and 10,000 messages. */
export const measureLongThread: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  const { agentId, chatUrl, call } = await stage.createAccount(service)
  const engine = await service.engine()
  const client = await MongoClient.connect(engine.uri)
  const threads = []
  for (const count of lengths) {
    const { thread_id } = await call<{ thread_id: string }>('POST', `/agents/${agentId}/threads`)
    await seedThread(client.db('svc'), { thread_id, count })
    threads.push({ socket: await openChatSocket(chatUrl, thread_id), costs: [] as number[] })
  }
  await client.close()

  const readCpu = async () => (await readCpuMs(service.pid)) + (await readCpuMs(engine.pid))
  const text = 'Tell me something about the sea.'
  for (const { socket } of threads) for (let turn = 0; turn < warmUp; turn++) await socket.turn(text)
  for (let round = 0; round < rounds; round++) {
    for (const { socket, costs } of round % 2 === 0 ? threads : threads.toReversed()) {
      const startCpu = await readCpu()
      for (let turn = 0; turn < turnsARound; turn++) await socket.turn(text)
      costs.push(((await readCpu()) - startCpu) / turnsARound)
    }
  }
  const [short, long] = threads.map(({ costs }) => median(costs)) as [number, number]
  const note = `CPU of server and engine, median of ${rounds} times ${turnsARound} turns`
  return [
    { measure: 'a turn in a thread of 100 messages', value: short, unit: 'ms', note },
    { measure: 'a turn in one of 10,000', value: long, unit: 'ms', note },
    { measure: '10,000 / 100', value: long / short, unit: 'ratio' },
  ]
}
