import { eventRange, type LedgerEvent } from '../../../plugins/conversations/chat/ledger/ledger-event.ts'
import t from '../../run/file-test.ts'
import { amount, chooseSeed } from '../../run/tier.ts'
import { startChat } from '../../support/chat.ts'
import { createCase } from '../../support/chat-case.ts'
import { crashInTurn } from '../../support/chat-crash.ts'
import { createPlans, SURVEY_PLUGIN } from '../../support/chat-plans.ts'
import { createChance } from '../../support/random.ts'
import { findCutFaults, findReplayFaults } from '../../support/turn-cuts.ts'

/** The number of cases: every case is one thread, whose events follow from the seed and its number. */
const CASES = amount({ short: 3, long: 400 })
const seed = chooseSeed(17)
/** The number of threads on the server at the same time. */
const TOGETHER = 6
const ACTIONS = 16

const chat = await startChat(t, { plugins: { survey: SURVEY_PLUGIN } })
const { agent_id, server } = chat
await server.request('PATCH', `/agents/${agent_id}/tool-settings/survey`, { body: { enabled: true } })
const config = { tools_with_approval: ['read_file'] }
await server.request('PATCH', `/agents/${agent_id}`, { body: { config } })
const plans = createPlans()
chat.fake.script(({ body }) => plans.answer(body))
const { body: api } = await server.request('GET', '/openapi.json')
const canFork = Object.keys(api.paths).some((path) => path.endsWith('/fork'))

async function begin(number: number) {
  const random = createChance(seed * 1000 + number)
  const thread_id = await chat.createThread()
  if (random.chance(0.2)) await crashInTurn(chat, { thread_id, text: plans.plan(random), random })
  return { number, ...(await createCase({ t, chat, plans, random, canFork }, thread_id)) }
}

/** Reads the events of a thread, turn by turn. */
async function readTurns(thread_id: string): Promise<LedgerEvent[][]> {
  const turns = new Map<string, LedgerEvent[]>()
  for await (const event of server.db
    .collection<LedgerEvent>('events')
    .find(eventRange(thread_id))
    .sort({ _id: 1 }))
    turns.set(event.turn_id, [...(turns.get(event.turn_id) ?? []), event as LedgerEvent])
  return [...turns.values()]
}

for (let first = 0; first < CASES; first += TOGETHER)
  await t.test(
    `A history read at any moment and the frames after it make the final history: from case ${first} on`,
    async (t) => {
      const random = createChance(-seed * 1000 - first)
      const numbers = Array.from({ length: Math.min(TOGETHER, CASES - first) }, (_, n) => first + n)
      const cases = await Promise.all(numbers.map(begin))
      const restart = random.chance(0.5) ? random.int(2, ACTIONS) : 0
      for (let n = 1; n <= ACTIONS; n += 1) {
        await Promise.all(cases.map((one) => one.act()))
        if (n !== restart) continue
        await server.restart()
        await Promise.all(cases.map((one) => one.goOn()))
      }
      await Promise.all(cases.map((one) => one.finish()))
      const { turnReplay } = server.server.runtime.cradleOf('chat')
      for (const { number, thread_id, actions, faults } of cases) {
        const what = `case ${number} of seed ${seed}`
        t.strictSame(faults, [], what, { actions })
        const turns = await readTurns(thread_id)
        t.ok(turns.length > 0, `${turns.length} turns in ${what}`)
        t.strictSame(turns.flatMap(findCutFaults), [], `every cut of every turn in ${what}`)
        const ended = turns.filter((events) => ['done', 'error'].includes(events.at(-1)!.type))
        const replays = await Promise.all(ended.map((events) => findReplayFaults(events, turnReplay)))
        t.strictSame(replays.flat(), [], `every turn of ${what}, run again`)
      }
    },
  )
