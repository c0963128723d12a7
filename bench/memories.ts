import { MongoClient } from 'mongodb'
import type { MemoryDocument } from '../plugins/agents/memory/types.ts'
import { type Figure, median, type Row, spread } from './figure.ts'
import { countTurns, openSockets, type Window } from './turns.ts'

const ACCOUNTS = 2000
const MEMORIES = 100
const BATCH = 5000
const ROUNDS = 7

/** Measures the processor time of turns with and without the account's memories, among 200,000 of 2,000 accounts. */
export const measureMemories: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  const account = await stage.createAccount(service)
  const { id: user_id } = await account.call<{ id: string }>('GET', '/auth/me')
  const engine = await service.engine()
  const client = await MongoClient.connect(engine.uri)
  const memories = client.db('svc').collection<MemoryDocument>('memories')
  let batch: MemoryDocument[] = []
  for (let n = 0; n < ACCOUNTS * MEMORIES; n += 1) {
    batch.push(toMemory(n, n < MEMORIES ? user_id : `usr_${n % ACCOUNTS}`, account.agentId))
    if (batch.length === BATCH) await memories.insertMany(batch)
    if (batch.length === BATCH) batch = []
  }
  await client.close()

  const sockets = await openSockets(account.chatUrl)
  const pids = [service.pid, engine.pid]
  const windows: Record<'without' | 'with', Window[]> = { without: [], with: [] }
  await countTurns(sockets)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const side of ['without', 'with'] as const) {
      await account.call('PATCH', '/auth/me', { memory: side === 'with' })
      windows[side].push(await countTurns(sockets, pids))
    }
  return [
    { measure: 'memories', value: ACCOUNTS * MEMORIES, unit: 'rows', note: `of ${ACCOUNTS} accounts` },
    ...['server', 'engine'].flatMap((process, index): Row[] => {
      const cpu = (side: keyof typeof windows) => windows[side].map(({ cpuMs }) => cpuMs[index]!)
      const more = cpu('with').map((ms, round) => ms - cpu('without')[round]!)
      return [
        { measure: `${process}, CPU a turn without memory`, value: median(cpu('without')), unit: 'ms' },
        { measure: `${process}, CPU a turn with memory`, value: median(cpu('with')), unit: 'ms' },
        {
          measure: `${process}, CPU that memory adds`,
          value: median(more),
          unit: 'ms',
          note: `median of ${ROUNDS} rounds, ${spread(more, 2)}`,
        },
      ]
    }),
  ]
}

/** Returns a memory, a half for all agents, a quarter for the one that answers, and the others for another one. */
function toMemory(n: number, user_id: string, agent_id: string): MemoryDocument {
  const text = `Prefers the answer number ${n} in metric units and short sentences`
  const agents = [null, agent_id, null, 'agent_other']
  return {
    _id: `mem_${String(n).padStart(26, '0')}`,
    ...{ user_id, agent_id: agents[n % agents.length]!, text, folded: text.toLowerCase() },
    ...{ state: 'kept' as const, source: null, created_at: 1_800_000_000, updated_at: 1_800_000_000 },
  }
}
