import type { UsageCounterDocument, UsageDocument } from '../../../plugins/models/usage/types.ts'
import t from '../../run/file-test.ts'
import { amount, chooseSeed } from '../../run/tier.ts'
import { startChat } from '../../support/chat.ts'
import { createChance } from '../../support/random.ts'

const { fake, server, connect } = await startChat(t)
const counters = server.db.collection<UsageCounterDocument>('usage_counters')
const usage = server.db.collection<UsageDocument>('usage')

/** Models with a small, a large and an unknown output limit. */
const MODELS = ['bounded:short', 'bounded:long', 'bounded:unknown']
const made = await server.request('POST', '/admin/providers', {
  body: {
    name: 'bounded',
    kind: 'openai-compatible',
    base_url: fake.url,
    models: [
      { id: 'short', max_output_tokens: 300 },
      { id: 'long', max_output_tokens: 30_000 },
      { id: 'unknown' },
    ],
  },
})
if (made.status !== 201) throw new Error(`no provider: ${JSON.stringify(made.body)}`)

const CASES = amount({ short: 4, long: 300 })
const seed = chooseSeed(5)

for (let n = 0; n < CASES; n += 1)
  t.test(
    `Turns of one account keep to its quota, however well they are estimated (seed ${seed + n})`,
    async (t) => {
      const { int, chance, pick, list } = createChance(seed + n)
      const { id, token, username } = await server.createUser({ username: `quota-${n}` })
      const quota = int(3000, 60_000)
      await server.request('PATCH', `/users/${username}`, { body: { token_quota: quota } })
      const { body: agents } = await server.request('GET', '/agents', { token })
      const socket = await connect({ token, agent_id: agents[0].id })

      /** The reservation of each call, which it holds from before its request until after its answer. */
      const reserved = new Map<string, number>()
      const broken: string[] = []
      fake.script(async ({ body }) => {
        const { holds } = (await counters.findOne({ _id: id }))!
        for (const { call_id, tokens } of holds) reserved.set(call_id, tokens)
        const limit = body.max_tokens as number | undefined
        const isCovered = holds.some(({ tokens }) => tokens > (limit ?? 16_384) && tokens <= quota)
        if (!isCovered)
          broken.push(`an answer of ${limit} tokens, while ${JSON.stringify(holds)} is reserved`)
        const estimate = JSON.stringify([body.messages, body.tools]).length / 3
        return {
          text: 'x',
          delayMs: int(0, 3),
          usage: {
            prompt_tokens: Math.round(estimate * (chance(0.3) ? int(100, 300) : int(1, 100)) * 0.01),
            completion_tokens: int(0, limit ?? 10_000),
          },
        }
      })

      const turns = list(4, 12, () => socket.say({ text: 'x'.repeat(int(1, 4000)), model: pick(MODELS) }))
      const ends = await Promise.all(turns.map(async (id) => (await socket.seeTurn(id)).end))
      for (const end of ends.filter(({ type }) => type !== 'done')) {
        t.equal(end.code, 'TOKEN_QUOTA_EXCEEDED')
        const { used, needed } = end.details
        t.ok(used + needed > quota, `${needed} more than ${used} of ${quota} were refused`)
      }
      t.strictSame(broken, [])
      const rows = await usage.find({ user_id: id }).toArray()
      t.equal(rows.length, ends.filter(({ type }) => type === 'done').length)
      const errors = rows.map(({ _id, total_tokens }) => Math.max(0, total_tokens - reserved.get(_id)!))
      const used = rows.reduce((sum, { total_tokens }) => sum + total_tokens, 0)
      const error = errors.reduce((sum, one) => sum + one, 0)
      t.ok(used <= quota + error, `${used} of ${quota} were used, with errors of ${errors}`)
      t.strictSame((await counters.findOne({ _id: id }))?.holds ?? [], [])
      socket.close()
    },
  )
