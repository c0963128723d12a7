import assert from 'node:assert/strict'
import { test as nodeTest } from 'node:test'
import { AppError, compileSchema } from '#kernel'
import { startBench } from './agent-bench.ts'
import { assertPart } from './assert-part.ts'
import { embedTexts, errorOf, listModels } from './model-calls.ts'
import { addAnswerCases } from './provider-answer-cases.ts'
import { createProviderBench, type ProviderKindSubject } from './provider-bench.ts'
import { addFailureCases } from './provider-failure-cases.ts'
import { addMediaCases, listMedia } from './provider-media-cases.ts'
import { addTurnCases, pluginOf } from './provider-turn-cases.ts'
import { declareTests } from './test-function.ts'

/**
 * Tests a provider kind against a fake of its vendor: its calls, and on a real server that an agent answers with it. The
 * server gets the kind from `plugins`; unless they are given, from a plugin that brings it alone.
 */
export function testProviderKind(subject: ProviderKindSubject): unknown {
  const { kind, api_key, model: modelId, environment = [], test = nodeTest } = subject
  const media = listMedia(subject)

  return declareTests(test, `provider kind ${kind.kind}`, async (t, add) => {
    const bench = createProviderBench(subject, t)
    const { connect, startFake, call } = bench

    await add('the options are described by a closed schema', async () => {
      const { properties = {}, additionalProperties } = kind.config_schema as Record<string, unknown>
      assert.ok(additionalProperties === false, 'config_schema needs additionalProperties: false')
      for (const [name, property] of Object.entries(properties as object))
        assert.ok(
          typeof (property as { description?: unknown }).description === 'string',
          `/properties/${name} of config_schema needs a description, which people read when they fill it in`,
        )
      compileSchema(kind.config_schema, 'json')(structuredClone(subject.options ?? {}))
      for (const language of ['en', 'zh'] as const) {
        assert.ok(kind.label[language], `label.${language} must be a text, but it is empty`)
        for (const [reason, text] of Object.entries(kind.guidance ?? {}))
          assert.ok(text[language], `guidance.${reason}.${language} must be a text, but it is empty`)
      }
    })

    if (kind.languageModel) {
      await add('the subject names a model that chats', async () => {
        assert.ok(modelId, 'the kind has languageModel: name a model of the fake as model of the subject')
        assert.ok(subject.readRequest, 'the subject needs readRequest, which reads a chat back from the wire')
      })
      await addAnswerCases(bench, add)
      await addFailureCases(bench, add)
    }
    await addMediaCases(bench, add)

    await add(
      'the models are listed',
      async () => {
        const fake = await startFake()
        const models = await listModels(kind, connect(fake.url))
        const ids = models.map(({ id }) => id)
        for (const id of [modelId, subject.embedding_model, ...media.map(({ id }) => id)])
          if (id !== undefined)
            assert.ok(
              ids.includes(id),
              `the list of models must have "${id}", but has ${ids.join(', ') || 'none'}`,
            )
        assert.ok(
          models.every(({ name }) => name),
          `each model must have a name, but some have none: ${JSON.stringify(models)}`,
        )
      },
      'Let listModels(connection, signal) call the list of the vendor with connection.fetch, the base_url and the key, and return { id, name } for each; the models that the subject names must be in the list of your fake.',
    )

    const { embedding_model } = subject
    if (embedding_model)
      await add(
        'texts are embedded',
        async () => {
          const fake = await startFake()
          const { embeddings } = await embedTexts(kind, connect(fake.url), embedding_model)
          assert.ok(
            embeddings[0] && embeddings[0].length > 1 && embeddings[0].every(Number.isFinite),
            `embeddings[0] must be a list of numbers, but it is ${JSON.stringify(embeddings[0])}`,
          )
        },
        'Let doEmbed({ values }) of embeddingModel return { embeddings } with a list of numbers for each value.',
      )

    await add(
      'no request gets past the fetch of the connection, which holds the rules of addresses',
      async () => {
        const fake = await startFake()
        const refusal = new AppError('ADDRESS_NOT_ALLOWED', { host: 'here' })
        const connection = connect(fake.url, { fetch: () => Promise.reject(refusal) })
        const isRefused = async (attempt: Promise<unknown>) => {
          const error = await errorOf(attempt)
          const causes: unknown[] = []
          for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause)
          assert.ok(
            causes.includes(refusal),
            `the error must be that of connection.fetch or have it as cause, but it is: ${error}`,
          )
        }
        if (kind.languageModel) await isRefused(call(connection))
        for (const { id, call } of media) await isRefused(call(kind, connection, id))
        await isRefused(listModels(kind, connection))
        if (embedding_model) await isRefused(embedTexts(kind, connection, embedding_model))
        assert.equal(
          fake.requests.length,
          0,
          `no request may go past connection.fetch, but the vendor got ${fake.requests.map(({ path }) => path).join(', ')}`,
        )
      },
      'Hand connection.fetch to the client library (createX({ fetch })), use no other fetch, and keep the errors that it throws.',
    )

    await add(
      'nothing of the environment is sent to the vendor',
      async () => {
        const fake = await startFake()
        const canary = 'AKIACANARY0123456789'
        const restore = setVariables(environment, (name) =>
          /URL|HOST|ENDPOINT/.test(name) ? `http://127.0.0.1:9/${canary}` : canary,
        )
        try {
          const bare = connect(fake.url, { api_key: undefined, options: barely(subject.options) })
          const attempt = (task: Promise<unknown>) =>
            task.catch((error) => assert.ok(!String(error).includes(canary), `the canary is in: ${error}`))
          if (kind.languageModel) await attempt(call(bare))
          for (const { id, call } of media) await attempt(call(kind, bare, id))
          await attempt(listModels(kind, bare))
          if (embedding_model) await attempt(embedTexts(kind, bare, embedding_model))
        } finally {
          restore()
        }
        assert.ok(
          fake.requests.length > 0,
          'the vendor at base_url must be called, also without a key, but it was not',
        )
        const sentTexts = fake.requests.map(({ path, headers, body }) =>
          JSON.stringify([path, headers, body]),
        )
        const leak = sentTexts.find(
          (text) => text.includes(canary) || text.includes(Buffer.from(canary).toString('base64')),
        )
        assert.ok(
          leak === undefined,
          `a value of ${environment.join(' or ')} was sent to the vendor: ${leak}`,
        )
      },
      "Hand the client library a key and an address in every case, such as apiKey: api_key ?? '', so that it does not read its environment variables.",
    )

    const { plugins = [pluginOf(kind)], config, databaseUrl } = subject
    if (plugins.length === 0) return
    if (media.length > 0)
      await add('a server uses its models of other kinds', async () => {
        const fake = await startFake()
        const server = await startBench({ plugins, config, databaseUrl })
        try {
          const { options = {} } = subject
          const models = media.map(({ id, model_kind }) => ({ id, model_kind }))
          const provider = { name: 'subject', kind: kind.kind, base_url: fake.url, api_key, options, models }
          const created = await server.request('POST', '/admin/providers', provider)
          assert.equal(created.status, 201, JSON.stringify(created.body))
          const choices = Object.fromEntries(
            models.map(({ id, model_kind }) => [model_kind, `subject:${id}`]),
          )
          const chosen = await server.request('PUT', '/models/defaults', choices)
          assert.equal(chosen.status, 200, JSON.stringify(chosen.body))
          assertPart(chosen.body, choices)
          for (const { id: model_id } of models) {
            const path = `/admin/providers/${created.body.id}/test`
            const tested = await server.request('POST', path, { model_id })
            assert.deepEqual([tested.status, tested.body.ok], [200, true], JSON.stringify(tested.body))
          }
          assert.ok(!server.logged().includes(api_key), 'the key is not in the log')
        } finally {
          await server.close()
        }
      })
    if (kind.languageModel && modelId !== undefined) await addTurnCases(bench, add)
  })
}

/** Sets environment variables; returns a function that sets them as they were. */
function setVariables(names: readonly string[], choose: (name: string) => string): () => void {
  const values = names.map((name) => [name, process.env[name]] as const)
  for (const name of names) process.env[name] = choose(name)
  return () => {
    for (const [name, value] of values) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/** Options without those that name or hold credentials. */
const barely = (options: Record<string, unknown> = {}) =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !/key|secret|token/.test(name)))
