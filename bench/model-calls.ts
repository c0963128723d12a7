import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { requestStream } from '#kernel'
import { createExtensions } from '../kernel/contract/extensions.ts'
import { createLessons } from '../plugins/models/providers/lessons.ts'
import { createCallMeter, type ReceivedPart } from '../plugins/models/providers/metered-call.ts'
import { streamModel } from '../plugins/models/providers/model-stream.ts'
import { createPace } from '../plugins/models/providers/pace.ts'
import kind from '../providers/openai-compatible/index.ts'
import { type Figure, median, spread } from './figure.ts'

const rounds = 9
const callsPerRound = 100

const options: LanguageModelV3CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'Tell me something about the sea.' }] }],
}

/** Measures the processor time of a streamed reply of 50 tokens: our model, paced and metered as well, over `fetch`, the reference. */
export const measureModelCalls: Figure = async (stage) => {
  const base_url = await stage.upstreamUrl()
  const connection = { base_url, api_key: 'bench', options: {}, fetch }
  const ours = await kind.languageModel({ ...connection, request: requestStream }, 'bench-model')
  const byFetch = await kind.languageModel(connection, 'bench-model')
  const reference = createOpenAICompatible({ name: 'bench', baseURL: base_url, apiKey: 'bench' })(
    'bench-model',
  )
  const pace = createPace()
  const lessons = createLessons(kind, [], () => {})
  const account = {
    user_id: 'bench',
    token_quota: null,
    budget: null,
    timezone: null,
    agent_id: '',
    thread_id: null,
  }
  const provider = { name: 'bench', kind: kind.kind, scope: 'global' } as const
  const extensions = {
    'providers.reservations': createExtensions([]),
    'providers.usage': createExtensions([]),
  } as never
  const events = { emit: async () => undefined }
  const explain = () => ({ reason: 'unknown' as const })

  const sides: Record<string, { times: number[]; call(): Promise<AsyncIterable<ReceivedPart>> }> = {
    'our model': { times: [], call: async () => (await ours.doStream(options)).stream },
    'our model, paced': {
      times: [],
      call: async () =>
        streamModel({
          model: ours,
          meter: createCallMeter(
            { call_id: 'bench', account, purpose: 'task', options },
            { model: 'bench:bench-model', price: undefined, currency: 'USD', provider, extensions, events },
          ),
          adapt: (options) => lessons.begin(options),
          pace,
          account_id: 'bench',
          maxConcurrency: 64,
          explain,
          describeAdapted: () => ({ type: 'notice', code: 'PICTURES_NOT_SEEN', details: {} }),
        }),
    },
    'our model, by fetch': { times: [], call: async () => (await byFetch.doStream(options)).stream },
    '@ai-sdk/openai-compatible': { times: [], call: async () => (await reference.doStream(options)).stream },
  }
  for (let round = 0; round <= rounds; round += 1)
    for (const { times, call } of Object.values(sides)) {
      const startCpu = process.cpuUsage()
      for (let n = 0; n < callsPerRound; n += 1) for await (const part of await call()) void part
      const { user, system } = process.cpuUsage(startCpu)
      // The first round warms up.
      if (round > 0) times.push((user + system) / 1000 / callsPerRound)
    }
  const medianTime = (name: string) => median(sides[name]!.times)
  return [
    ...Object.entries(sides).map(([name, { times }]) => ({
      measure: `${name}, CPU a call`,
      value: median(times),
      unit: 'ms',
      note: `median of ${rounds} rounds, ${spread(times, 2)}`,
    })),
    {
      measure: 'paced / reference',
      value: medianTime('our model, paced') / medianTime('@ai-sdk/openai-compatible'),
      unit: 'ratio',
    },
  ]
}
