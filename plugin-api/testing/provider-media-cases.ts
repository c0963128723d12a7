import assert from 'node:assert/strict'
import { explainFailure } from '../../plugins/models/providers/explained-failure.ts'
import {
  readAudio,
  readPictures,
  readRanking,
  readTranscript,
} from '../../plugins/models/providers/media-results.ts'
import { AppError, listCauses, makeSilence } from '../index.ts'
import type { ProviderConnection, ProviderKind } from '../provider-kind.ts'
import type { Refusal, VendorRequest } from './fake-vendor.ts'
import { errorOf, failureOf } from './model-calls.ts'
import type { ProviderBench, ProviderKindSubject } from './provider-bench.ts'
import type { AddTest } from './test-function.ts'
import { eventually } from './waiting.ts'

/** One kind of models as the suite calls it. */
interface Media {
  method: 'imageModel' | 'speechModel' | 'transcriptionModel' | 'rerankingModel'
  model_kind: 'image' | 'speech' | 'transcription' | 'rerank'
  /** The field of the subject that names the model. */
  field: 'image_model' | 'speech_model' | 'transcription_model' | 'reranking_model'
  /** The words that the request must carry; of a recording there are none. */
  words?: string
  call(kind: ProviderKind, connection: ProviderConnection, id: string, signal?: AbortSignal): Promise<unknown>
}

const WORDS = 'a private question'

const refuse = (problem: string) => new AppError('MODEL_RESULT_INVALID', { problem })

const MEDIA: readonly Media[] = [
  {
    method: 'imageModel',
    model_kind: 'image',
    field: 'image_model',
    words: WORDS,
    async call(kind, connection, id, abortSignal) {
      const model = await kind.imageModel!(connection, id)
      const none = { aspectRatio: undefined, seed: undefined, files: undefined, mask: undefined }
      const size = '1024x1024' as const
      const { images } = await model.doGenerate({
        ...none,
        prompt: WORDS,
        n: 1,
        size,
        providerOptions: {},
        abortSignal,
      })
      readPictures(images, refuse)
    },
  },
  {
    method: 'speechModel',
    model_kind: 'speech',
    field: 'speech_model',
    words: WORDS,
    async call(kind, connection, id, abortSignal) {
      const model = await kind.speechModel!(connection, id)
      const { audio } = await model.doGenerate({ text: WORDS, outputFormat: 'mp3', abortSignal })
      readAudio(audio, refuse)
    },
  },
  {
    method: 'transcriptionModel',
    model_kind: 'transcription',
    field: 'transcription_model',
    async call(kind, connection, id, abortSignal) {
      const model = await kind.transcriptionModel!(connection, id)
      const audio = makeSilence()
      const answer = await model.doGenerate({ audio, mediaType: 'audio/wav', language: 'en', abortSignal })
      assert.notEqual(readTranscript(answer, refuse).text, '')
    },
  },
  {
    method: 'rerankingModel',
    model_kind: 'rerank',
    field: 'reranking_model',
    words: WORDS,
    async call(kind, connection, id, abortSignal) {
      const model = await kind.rerankingModel!(connection, id)
      const values = ['The weather.', `It is ${WORDS}.`]
      const { ranking } = await model.doRerank({
        query: WORDS,
        documents: { type: 'text', values },
        topN: 2,
        abortSignal,
      })
      assert.equal(readRanking(ranking, values.length, refuse)[0]!.index, 1, 'the best document comes first')
    },
  },
]

/** Lists the models of a subject that do not chat, with the calls that the suite makes of them. */
export const listMedia = (subject: ProviderKindSubject): (Media & { id: string })[] =>
  MEDIA.flatMap((media) => {
    const id = subject[media.field]
    return id === undefined ? [] : [{ ...media, id }]
  })

/** Adds the cases of models that draw, speak, transcribe and rank: their answers, refusals and aborts. */
export async function addMediaCases(
  { subject, connect, startFake }: ProviderBench,
  add: AddTest,
): Promise<void> {
  const { kind, api_key } = subject
  for (const { method, field } of MEDIA)
    if (kind[method] && subject[field] === undefined)
      await add(`${method} is tested`, () => {
        assert.fail(`the kind has ${method}: name a model of the fake as ${field} of the subject`)
      })

  for (const { method, field, words, id, call } of listMedia(subject)) {
    await add(`${method} answers, and the request carries the model and the words`, async () => {
      assert.ok(kind[method], `the subject names a ${field}, but the kind has no ${method}`)
      const fake = await startFake()
      await call(kind, connect(fake.url), id)
      const sent = fake.requests.map(describeRequest).join('\n')
      assert.ok(
        sent.includes(id) || sent.includes(encodeURIComponent(id)),
        `the model ${id} is in the request`,
      )
      if (words) assert.ok(sent.includes(words), 'the words are in the request')
    })

    const refusals: Refusal[] = ['auth', 'quota', 'rate_limit', 'outage', 'model_not_found', 'bad_request']
    await add(`refusals of ${method} are understood`, async () => {
      const fake = await startFake()
      for (const refusal of refusals) {
        fake.queue({ refusal })
        const { reason } = await failureOf(call(kind, connect(fake.url), id), kind)
        assert.equal(
          reason,
          refusal,
          `a refusal for ${refusal} is read as ${reason}: let explainError of the kind return { reason: '${refusal}' }`,
        )
      }
      for (const wrong of ['wrong-key-0123456789', undefined])
        assert.equal(
          (await failureOf(call(kind, connect(fake.url, { api_key: wrong }), id), kind)).reason,
          'auth',
          `${wrong ? 'a wrong key' : 'a call without a key'} must fail for auth: see explainError, and throw no error of your own`,
        )
    })

    await add(`an abort ends a call of ${method}`, async () => {
      const fake = await startFake()
      fake.queue({ hold: new Promise(() => {}) })
      const abort = new AbortController()
      const attempt = errorOf(call(kind, connect(fake.url), id, abort.signal))
      const { gone: left } = await eventually('the vendor is called', () => fake.requests[0])
      abort.abort()
      await attempt
      await eventually('the vendor sees the client leave', () => left.aborted)
    })

    await add(`an address without a listener is unreachable for ${method}`, async () => {
      const fake = await startFake()
      await fake.close()
      const error = await errorOf(call(kind, connect(fake.url), id))
      assert.equal(explainFailure(error, kind).reason, 'unreachable')
      assert.ok(
        !listCauses(error).some(({ message }) => String(message).includes(api_key)),
        'no error tells the key',
      )
    })
  }
}

const describeRequest = ({ path, body }: VendorRequest) => `${path} ${JSON.stringify(body)}`
