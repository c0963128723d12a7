import assert from 'node:assert/strict'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import {
  definePlugin,
  defineProviderKind,
  defineRoute,
  defineSocket,
  type ModelCallOptions,
  type Plugin,
  type ProviderKind,
  type StreamingModel,
} from '#plugin-api'
import webhook from '../../channels/webhook/index.ts'
import {
  createFakeCompatible,
  readChatRequest,
  type TestFunction,
  testChannelKind,
  testPlugin,
  testProviderKind,
} from '../../plugin-api/testing/index.ts'
import t from '../run/file-test.ts'
import { isLong } from '../run/tier.ts'
import { startFakeWebhook } from '../support/fake-webhook.ts'
import { kitOptions } from '../support/kit.ts'

const KEY = 'sk-outside-0123456789'

const outside = defineProviderKind({
  kind: 'outside',
  label: { en: 'Outside', zh: '外部' },
  requires_base_url: true,
  config_schema: { type: 'object', properties: {}, additionalProperties: false },
  languageModel: ({ base_url, api_key, fetch }, model) =>
    createOpenAICompatible({
      name: 'outside',
      baseURL: base_url!,
      apiKey: api_key,
      includeUsage: true,
      fetch,
    })(model),
  async listModels({ base_url, api_key, fetch }, signal) {
    const headers = { authorization: `Bearer ${api_key}` }
    const answer = await fetch(`${base_url}/models`, { headers, signal })
    const { data } = (await answer.json()) as { data: { id: string }[] }
    return data.map(({ id }) => ({ id, name: id }))
  },
})

const subject = {
  kind: outside,
  startFake: () => createFakeCompatible({ apiKey: KEY, models: ['m'] }),
  api_key: KEY,
  model: 'm',
  readRequest: readChatRequest,
  environment: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
}

testProviderKind({ ...kitOptions(t), ...subject })

const label = { en: 'Bells', zh: '铃' }
const count = { type: 'object', properties: { rung: { type: 'integer' } }, required: ['rung'] } as const

const tower = definePlugin({ name: 'tower', summary: 'Holds bells', kernel: 1, setup() {} })

/** Timers leaked by plugins, which this file clears itself. */
const leaked: NodeJS.Timeout[] = []

/** A plugin with a route, a socket, a permission and a timer; the timer is not cleared if `leaks` is true. */
function createBellsPlugin({ leaks = false } = {}): Plugin {
  let rung = 0
  let timer: NodeJS.Timeout | undefined
  return definePlugin({
    name: 'bells',
    summary: 'Rings bells',
    kernel: 1,
    depends: ['users', 'auth', 'tower' as never],
    config: { volume: { type: 'integer', default: 3 } },
    permissions: [{ key: 'ring', category: 'settings', label, description: label }],
    setup(host) {
      host.routes([
        defineRoute({
          method: 'POST',
          path: '/bells/:name/ring',
          summary: 'Ring a bell',
          guard: ['permission', 'ring'],
          audit: 'bell.ring',
          response: { 200: count },
        }).handle(() => {
          rung += 1
          return { rung }
        }),
      ])
      host.socket(
        defineSocket({
          path: '/bells/ws',
          summary: 'Hear bells',
          guard: 'user',
          receive: {},
          send: { bell: count },
        }).handle((connection) => {
          connection.send({ type: 'bell', rung })
          return { message() {} }
        }),
      )
    },
    start() {
      timer = setInterval(() => undefined, 1000)
    },
    stop() {
      if (leaks) leaked.push(timer!)
      else clearInterval(timer)
    },
  })
}

const runCases: string[] = []
testPlugin({
  ...kitOptions(t),
  plugin: createBellsPlugin(),
  plugins: [tower],
  config: { plugins: { bells: { volume: 11 } } },
  cases: {
    async 'only users with the permission ring a bell'(server, t) {
      t.after(() => runCases.push('ended'))
      const { body, status } = await server.request('POST', '/bells/great/ring')
      assert.deepEqual([status, body], [200, { rung: 1 }])
      const { token } = await server.createUser({ username: 'ann' })
      const refused = await server.request('POST', '/bells/great/ring', undefined, { token })
      assert.equal(refused.status, 403)
      const ringer = await server.createUser({ username: 'bob', permissions: ['ring'] })
      assert.equal((await server.request('POST', '/bells/great/ring', {}, ringer)).status, 200)
      runCases.push('rung')
    },
    async 'a socket receives the bells of its server'(server) {
      const socket = await server.connect('/bells/ws')
      assert.deepEqual(await socket.next('bell'), { type: 'bell', rung: 2 })
      runCases.push('heard')
    },
  },
})

t.test("the kit runs the plugin author's tests in their order", async (t) => {
  t.same(runCases, ['rung', 'ended', 'heard'])
})

/** Runs the tests of a suite and returns the names of the failed ones with their error messages. */
async function collectFailures(suite: (test: TestFunction) => unknown): Promise<Record<string, string>> {
  const failures: Record<string, string> = {}
  const test: TestFunction = async (name, run) => {
    const ends: (() => unknown)[] = []
    try {
      await run({ after: (end) => void ends.push(end), test })
    } catch (error) {
      failures[name] = (error as Error).message
    }
    for (const end of ends) await end()
  }
  await suite(test)
  return failures
}

t.test('the kit explains why a plugin fails', async (t) => {
  const { databaseUrl } = kitOptions(t)
  const broken: Plugin = {
    ...createBellsPlugin(),
    setup() {
      throw new Error('the rope is torn')
    },
  }
  const failures = await collectFailures((test) =>
    testPlugin({ plugin: broken, plugins: [tower], test, databaseUrl }),
  )
  t.match(failures['it is loaded and starts with nothing but what it depends on'], /the rope is torn/)
})

if (isLong)
  t.test('the kit reports a timer that a plugin does not clear', async (t) => {
    const { databaseUrl } = kitOptions(t)
    const failures = await collectFailures((test) =>
      testPlugin({ plugin: createBellsPlugin({ leaks: true }), plugins: [tower], test, databaseUrl }),
    )
    for (const timer of leaked) clearInterval(timer)
    t.match(failures['stopped, it leaves nothing running'], /the plugin ends all timers/)
  })

t.test('the kit explains why a channel kind is invalid', async (t) => {
  const { databaseUrl } = kitOptions(t)
  const failures = await collectFailures((test) =>
    testChannelKind({
      kind: { ...webhook, kind: 'mute', endpoints: { api: 'mute.example.org' } },
      startFake: startFakeWebhook,
      test,
      databaseUrl,
    }),
  )
  t.match(failures['channel kind mute'], /channel kind "mute" is not valid: \/endpoints\/api must match/)
})

/** A model whose stream is changed on its way, part by part. */
const altered = (
  change: (part: LanguageModelV3StreamPart) => LanguageModelV3StreamPart | undefined,
): ProviderKind => ({
  ...outside,
  async languageModel(connection, id) {
    const model = await outside.languageModel(connection, id)
    return {
      doStream: async (options) => {
        const { stream } = await model.doStream(options)
        const changing = new TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart>({
          transform(part, controller) {
            const changed = change(part)
            if (changed) controller.enqueue(changed)
          },
        })
        return { stream: stream.pipeThrough(changing) }
      },
    } as StreamingModel
  },
})

/** A kind that changes what its model is called with. */
const calledWith = (change: (options: ModelCallOptions) => ModelCallOptions): ProviderKind => ({
  ...outside,
  async languageModel(connection, id) {
    const model = await outside.languageModel(connection, id)
    return { doStream: (options: ModelCallOptions) => model.doStream(change(options)) } as StreamingModel
  },
})

const wrongKinds: Record<string, [kind: ProviderKind, cases: Record<string, RegExp>]> = {
  'without a description': [
    {
      ...outside,
      config_schema: {
        type: 'object',
        properties: { region: { type: 'string' } },
        additionalProperties: false,
      },
    },
    { 'the options are described': /\/properties\/region of config_schema needs a description/ },
  ],
  'with an open schema': [
    { ...outside, config_schema: { type: 'object' } },
    { 'the options are described': /config_schema needs additionalProperties: false/ },
  ],
  'without a Chinese label': [
    { ...outside, label: { en: 'Outside', zh: '' } },
    { 'the options are described': /label\.zh must be a text/ },
  ],
  'without an end': [
    altered((part) => (part.type === 'finish' ? undefined : part)),
    {
      'text streams as it is sent':
        /must end with a part of type finish, but it has .*text-delta.*Let languageModel pass on/,
    },
  ],
  'without usage': [
    altered((part) =>
      part.type === 'finish'
        ? { ...part, usage: { ...part.usage, inputTokens: { ...part.usage.inputTokens, total: undefined } } }
        : part,
    ),
    {
      'text streams as it is sent':
        /usage\.inputTokens\.total: expected 120, but it is undefined\. Let languageModel/,
    },
  ],
  'without thoughts': [
    altered((part) => (part.type.startsWith('reasoning') ? undefined : part)),
    {
      'thoughts stream before':
        /by type: expected \[ 'reasoning', 'text' \], but it is \[ 'text' \]\. Let languageModel stream/,
      'tools are called in parallel':
        /the answer with its thoughts, as it was sent back.*send the results and thoughts/,
    },
  ],
  'without tools': [
    calledWith(({ tools: _, ...options }) => options),
    {
      'tools are called in parallel':
        /the tools of the request: expected a list of 2.* but it is \[\]\. Let languageModel/,
    },
  ],
  'that always stops': [
    altered((part) =>
      part.type === 'finish' ? { ...part, finishReason: { unified: 'stop', raw: 'x' } } : part,
    ),
    {
      'an answer cut at its limit':
        /finishReason\.unified: expected 'length', but it is 'stop'\. Let the finish/,
    },
  ],
  'that sees no pictures': [
    calledWith((options) => ({
      ...options,
      prompt: options.prompt.map((message) =>
        message.role === 'user'
          ? { ...message, content: message.content.filter(({ type }) => type === 'text') }
          : message,
      ),
    })),
    { 'pictures are sent along': /images: expected a list of 1.*Let languageModel send parts of type file/ },
  ],
  'that explains nothing': [
    { ...outside, explainError: () => ({ reason: 'unknown' }) },
    {
      'a refusal for quota':
        /the reason of the error ".+": expected 'quota', but it is 'unknown'\. Let explainError\(report\)/,
      'an answer that breaks': /expected outage or unreachable, but it is unknown\. Let the stream end/,
      'an address without a listener':
        /expected 'unreachable', but it is 'unknown'\. Throw what fetch throws/,
    },
  ],
  'that throws for a missing key': [
    {
      ...outside,
      languageModel(connection, id) {
        if (!connection.api_key) throw new Error('Set the key of Outside.')
        return outside.languageModel(connection, id)
      },
    },
    {
      'a wrong key and a missing one':
        /"Error: Set the key of Outside\.", for a missing key .*: expected 'auth', but it is 'unknown'\. The vendor must refuse both/,
    },
  ],
  'with its own fetch': [
    {
      ...outside,
      languageModel: (connection, id) => outside.languageModel({ ...connection, fetch }, id),
      listModels: async () => [],
    },
    {
      'the models are listed': /the list of models must have "m", but has none\. Let listModels/,
      'no request gets past':
        /(the call did not fail|the error must be that of connection\.fetch).*Hand connection\.fetch/,
    },
  ],
  'that reads its environment': [
    {
      ...outside,
      languageModel: (connection, id) =>
        outside.languageModel(
          { ...connection, api_key: connection.api_key ?? process.env.OPENAI_API_KEY },
          id,
        ),
    },
    {
      'nothing of the environment':
        /a value of OPENAI_API_KEY or OPENAI_BASE_URL was sent.*Hand the client library a key/,
    },
  ],
}

t.test('the kit explains why a provider kind fails, and what to change', async (t) => {
  const { databaseUrl } = kitOptions(t)
  for (const [what, [kind, cases]] of Object.entries(wrongKinds)) {
    const failures = await collectFailures((test) =>
      testProviderKind({ ...subject, kind, plugins: [], test, databaseUrl }),
    )
    for (const [title, sentence] of Object.entries(cases)) {
      const name = Object.keys(failures).find((failure) => failure.startsWith(title))
      t.match(name && failures[name], sentence, `a kind ${what}: ${title}`)
    }
  }
})
