import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../../run/file-test.ts'
import { startFakeTelegram } from '../../support/fake-telegram.ts'
import { startFakeWebhook } from '../../support/fake-webhook.ts'
import { startPlatform, type TestChannel } from '../../support/platform-channel.ts'

const MEMORY = 'Ann likes quinces.'
const TOOLS = ['forget', 'recall', 'remember']
const NOTHING = { has_memory: false, tools: [] }
const EVERYTHING = { has_memory: true, tools: TOOLS }

let asked = 0
const nextPrompt = () => {
  asked += 1
  return `question ${asked} of many.`
}

/** Returns what the model received of memory with a prompt. */
const seen = ({ fake }: TestChannel, prompt: string) => {
  const request = fake.requests.find(({ body }) =>
    JSON.stringify(body.messages.filter(({ role }) => role === 'user').at(-1)).includes(prompt),
  )
  if (!request) throw new Error(`the model was not asked ${prompt}`)
  const { messages, tools = [] } = request.body
  const names = tools.map((tool) => tool.function.name)
  return {
    has_memory: JSON.stringify(messages).includes('quinces'),
    tools: TOOLS.filter((name) => names.includes(name)),
  }
}

/** Says something to the bot and returns what the model received of memory. */
async function say(channel: TestChannel, place: 'direct' | 'group') {
  const prompt = nextPrompt()
  channel.fake.next({ text: `answer to ${prompt}` })
  await channel.platform.say({ text: prompt, place, sender: 'ann' })
  await channel.seeMessage(`answer to ${prompt}`)
  return seen(channel, prompt)
}

const setMemory = async (t: Test, { channels, channel_id, seeState }: TestChannel, memory: boolean) => {
  t.equal((await channels('PATCH', `/${channel_id}`, { config: { memory } })).status, 200)
  await seeState('connected')
}

for (const [kind, startFake] of [
  ['webhook', startFakeWebhook],
  ['telegram', startFakeTelegram],
] as const)
  t.test(`Conversations of a ${kind} channel use the memory of the agent's owner only as set`, async (t) => {
    const start = await startPlatform(t, { kind, startFake })
    const channel = await start()
    const { server } = channel
    await server.call('POST', '/memories', { text: MEMORY, scope: 'me' })

    t.strictSame(await say(channel, 'direct'), NOTHING, 'off by default')
    t.strictSame(await say(channel, 'group'), NOTHING)

    await setMemory(t, channel, true)
    t.strictSame(await say(channel, 'direct'), EVERYTHING)
    t.strictSame(await say(channel, 'group'), NOTHING, 'never where several people listen')

    await t.test(
      'what anybody says in a direct conversation is proposed, and nothing of a group',
      async (t) => {
        const remember = (text: string) => ({
          toolCalls: [{ name: 'remember', arguments: { text, scope: 'me' } }],
        })
        const texts = async (query: string) =>
          (await server.call('GET', `/memories?state=${query}`)).map(({ text }: { text: string }) => text)
        channel.fake.next(remember('I live in Lund.'), { text: 'I will remember Lund.' })
        await channel.platform.say({ text: 'I live in Lund.', place: 'direct', sender: 'ann' })
        await channel.seeMessage('I will remember Lund.')
        t.strictSame(await texts('kept'), [MEMORY])
        t.strictSame(await texts('proposed'), ['I live in Lund.'])
        channel.fake.next(remember('I live in Oslo.'), { text: 'I cannot remember Oslo.' })
        await channel.platform.say({ text: 'I live in Oslo.', place: 'group', sender: 'ann' })
        await channel.seeMessage('I cannot remember Oslo.')
        t.strictSame(await texts('proposed'), ['I live in Lund.'])
      },
    )

    await setMemory(t, channel, false)
    t.strictSame(await say(channel, 'direct'), NOTHING, 'switched off while the channel is connected')
    await setMemory(t, channel, true)
    t.strictSame(await say(channel, 'direct'), EVERYTHING)
    await server.call('PATCH', '/auth/me', { memory: false })
    t.strictSame(await say(channel, 'direct'), NOTHING, 'switched off by the account')
    await server.call('PATCH', '/auth/me', { memory: true })
    t.strictSame(channel.platform.violations, [])
  })

t.test('A schedule uses memory unless its answers go where others listen', async (t) => {
  const start = await startPlatform(t, { kind: 'webhook', startFake: startFakeWebhook })
  const channel = await start()
  const { agent_id, channel_id, channels, fake, server } = channel
  await server.call('POST', '/memories', { text: MEMORY, scope: 'me' })
  const path = `/agents/${agent_id}/cron`
  /** Runs a schedule with a new prompt and returns what the model received of memory. */
  const run = async (id: string) => {
    const prompt = nextPrompt()
    await server.call('PATCH', `${path}/${id}`, { prompt })
    fake.next({ text: `answer to ${prompt}` })
    await server.call('POST', `${path}/${id}/run-now`)
    await eventually('the end of the run', async () => {
      const [newest] = await server.call('GET', `${path}/${id}/runs`)
      return newest.status === 'succeeded'
    })
    return seen(channel, prompt)
  }
  const create = async (thread: 'new' | 'same'): Promise<string> => {
    const body = { name: thread, prompt: 'x', schedule: { every_seconds: 31_536_000 }, thread }
    return (await server.call('POST', path, body)).id
  }
  await say(channel, 'direct')
  await say(channel, 'group')
  const deliver = (id: string, conversation_id: string | null) =>
    server.call('PATCH', `${path}/${id}`, { deliver: conversation_id && { channel_id, conversation_id } })

  for (const thread of ['new', 'same'] as const)
    await t.test(`that runs in ${thread === 'new' ? 'new threads' : 'one thread'}`, async (t) => {
      await setMemory(t, channel, false)
      const id = await create(thread)
      t.strictSame(await run(id), EVERYTHING, 'nobody but the account reads it')
      await deliver(id, 'private')
      t.strictSame(await run(id), NOTHING, 'the channel uses no memory')
      await setMemory(t, channel, true)
      t.strictSame(await run(id), EVERYTHING, 'the channel uses memory in direct conversations')
      await deliver(id, 'square')
      t.strictSame(await run(id), NOTHING, 'a group')
      await deliver(id, null)
      t.strictSame(await run(id), EVERYTHING)
    })

  await t.test('whose channel was removed', async (t) => {
    const id = await create('new')
    await deliver(id, 'square')
    t.strictSame(await run(id), NOTHING)
    await channels('DELETE', `/${channel_id}`)
    t.match(await server.call('GET', `${path}/${id}`), { deliver: null })
    t.strictSame(await run(id), EVERYTHING)
  })
})
