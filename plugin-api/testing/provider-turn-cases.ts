import assert from 'node:assert/strict'
import { definePlugin, type ProviderKind } from '../index.ts'
import { startBench } from './agent-bench.ts'
import { assertSame } from './assert-part.ts'
import type { VendorReply } from './fake-vendor.ts'
import { type ProviderBench, usage } from './provider-bench.ts'
import type { RunningServer } from './server.ts'
import type { AddTest } from './test-function.ts'

/** Longer than any upstream that limits its rate is waited for, in seconds. */
const LONG_PAUSE = 3600

/** Adds the cases of turns on a real server: answers, prompts that are too long, and fallback models. */
export async function addTurnCases(
  { subject, startFake, readRequest }: ProviderBench,
  add: AddTest,
): Promise<void> {
  const { kind, api_key, model: modelId = '', plugins = [pluginOf(kind)], config, databaseUrl } = subject
  const { options = {} } = subject
  const models = [{ id: modelId, name: modelId }]

  /** Starts a server whose model is the fake's; a second provider, `spare`, has the same model. */
  const start = async () => {
    const fake = await startFake()
    const server = await startBench({ plugins, config, databaseUrl })
    try {
      for (const name of ['subject', 'spare']) {
        const provider = { name, kind: kind.kind, base_url: fake.url, api_key, options, models }
        const created = await server.request('POST', '/admin/providers', provider)
        assert.equal(created.status, 201, JSON.stringify(created.body))
      }
      const chosen = await server.request('PUT', '/models/active', { model: `subject:${modelId}` })
      assert.equal(chosen.status, 200, JSON.stringify(chosen.body))
      const { body: agents } = await server.request('GET', '/agents')
      const socket = await server.connect(`/agents/${agents[0].id}/chat/ws`)
      return { fake, server, agent_id: agents[0].id as string, ask: createAsk(socket) }
    } catch (error) {
      await server.close()
      throw error
    }
  }

  await add('an agent of a server answers with it', async () => {
    const { fake, server, ask } = await start()
    try {
      fake.queue({ text: ['Good', ' day'], usage })
      const { end, text } = await ask('a private question')
      assert.equal(end.type, 'done', JSON.stringify(end))
      assert.equal(text, 'Good day')
      assert.match(server.logged(), /listening/)
      assert.ok(!server.logged().includes(api_key), 'the key is not in the log')
    } finally {
      await server.close()
    }
  })

  await add(
    'a prompt that is too long is sent once more with a shorter history',
    async () => {
      const { fake, server, ask } = await start()
      try {
        const { thread_id } = await ask('word one')
        for (const text of ['word two', 'word three']) await ask(text, thread_id)
        fake.queue({ refusal: 'context_too_long' }, { text: ['Short.'] })
        const { end, text, notices } = await ask('word four', thread_id)
        assert.equal(end.type, 'done', JSON.stringify(end))
        assert.equal(text, 'Short.')
        assertSame(notices, ['SHORTENED'], 'the notices of the turn')
        const calls = fake.requests.filter(({ body }) => JSON.stringify(body ?? '').includes('word four'))
        assertSame(
          calls.map((call) => readRequest(call).messages.flatMap(toQuestion)),
          [
            ['word one', 'word two', 'word three', 'word four'],
            ['word three', 'word four'],
          ],
          'the questions of the two calls of the turn',
        )
        fake.queue({ refusal: 'context_too_long' }, { refusal: 'context_too_long' })
        const { end: last } = await ask('word five', thread_id)
        assertSame(last.code, 'MODEL_CONTEXT_TOO_LONG', 'the code of a turn that is refused twice')
      } finally {
        await server.close()
      }
    },
    'Let languageModel fail with the error of the vendor, without another call of its own, and without leaving out parts of the prompt.',
  )

  await add(
    'another model answers after a refusal for a while, but not after words',
    async () => {
      const { fake, server, agent_id, ask } = await start()
      try {
        const fallback_models = [`spare:${modelId}`]
        const changed = await server.request('PATCH', `/agents/${agent_id}`, { config: { fallback_models } })
        assert.equal(changed.status, 200, JSON.stringify(changed.body))
        const limited: VendorReply = { refusal: 'rate_limit', retryAfter: LONG_PAUSE }
        fake.queue(limited, { text: ['From', ' another.'] })
        const { end, text, notices, thread_id } = await ask('who answers')
        assert.equal(end.type, 'done', JSON.stringify(end))
        assert.equal(text, 'From another.')
        assertSame(notices, ['MODEL_FALLBACK'], 'the notices of the turn')
        const history = await server.request('GET', `/agents/${agent_id}/threads/${thread_id}/history`)
        assertSame(history.body.messages.at(-1).model, fallback_models[0], 'the model of the answer')

        const count = fake.requests.length
        fake.queue({ text: ['Half', ' an', ' answer'], breakAfter: 2, refusal: 'outage' })
        const { end: broken, notices: others } = await ask('and now', thread_id)
        assertSame(broken.type, 'error', `the end of a turn whose answer breaks (${JSON.stringify(broken)})`)
        assertSame(others, [], 'the notices of a turn whose answer breaks')
        assertSame(fake.requests.length, count + 1, 'the number of calls after the answer broke')
      } finally {
        await server.close()
      }
    },
    "Let explainError return { reason: 'rate_limit' } or { reason: 'outage' } for a refusal that ends by itself, and let the stream throw after its words if it breaks.",
  )
}

const toQuestion = (message: { role: string; text?: string }) =>
  message.role === 'user' && message.text !== undefined ? [message.text] : []

/** Returns a function that asks on a socket and waits for the end of the turn. */
const createAsk =
  ({ send, next }: Awaited<ReturnType<RunningServer['connect']>>) =>
  async (words: string, thread_id?: string) => {
    send({ type: 'user_turn', text: words, ...(thread_id !== undefined && { thread_id }) })
    const frames = [await next()]
    while (!['done', 'error'].includes(frames.at(-1)!.type)) frames.push(await next())
    const end = frames.at(-1)!
    return {
      end,
      thread_id: end.thread_id as string,
      text: frames.map(({ type, content }) => (type === 'content' ? content : '')).join(''),
      notices: frames.flatMap(({ type, code }) => (type === 'notice' ? [code as string] : [])),
    }
  }

/** Returns a plugin that brings a kind and nothing else. */
export const pluginOf = (kind: ProviderKind): ReturnType<typeof definePlugin> =>
  definePlugin({
    name: `${kind.kind}-kind`,
    summary: `The provider kind ${kind.kind}`,
    kernel: 1,
    depends: ['providers'],
    setup: (host) => host.extend('providers.kinds', kind),
  })
