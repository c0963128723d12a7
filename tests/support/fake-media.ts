import { answerMedia, type MediaAnswer } from '../../plugin-api/testing/fake-media.ts'
import { startFakeVendor } from '../../plugin-api/testing/fake-vendor.ts'
import { makeSilence } from '../../plugin-api/toolbox/silence.ts'
import type { Test } from '../run/file-test.ts'
import type { TestServer } from './server.ts'

/** A call as it arrived; files of a form are among its fields. */
export interface MediaRequest {
  /** Below the base URL, such as `/audio/speech`. */
  path: string
  // biome-ignore lint/suspicious/noExplicitAny: each call has other fields
  fields: Record<string, any>
}

/** Returns the answer to a call; the usual one is sent if there is none. A promise delays it. */
type MediaScript = (
  request: MediaRequest,
) => Partial<MediaAnswer> | undefined | Promise<Partial<MediaAnswer> | undefined>

/** A running upstream that draws, speaks and transcribes over OpenAI's wire. */
export interface FakeMedia {
  url: string
  requests: MediaRequest[]
  /** Replaces the answers. */
  answer(script: MediaScript): void
}

const BASE = '/v1'

/** Makes the answer with this JSON. */
export const answerJson = (value: object, status = 200): MediaAnswer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
})

/** Makes the answer with audio that browsers can play. */
export const answerAudio = (seconds: number): MediaAnswer => ({
  status: 200,
  type: 'audio/wav',
  body: makeSilence(seconds),
})

/** Starts the upstream, which ends with the test. */
export async function startFakeMedia(t: Test): Promise<FakeMedia> {
  const requests: MediaRequest[] = []
  let script: MediaScript = () => undefined
  const vendor = await startFakeVendor({
    basePath: BASE,
    async serve({ request, send }) {
      const call = { path: request.path.slice(BASE.length), fields: request.body ?? {} }
      requests.push(call)
      const usual = call.path === '/audio/speech' ? answerAudio(1) : answerMedia(call.path, call.fields)
      const { status, type, body } = { ...usual, ...(await script(call)) }
      send(status, type, body)
    },
  })
  t.teardown(() => vendor.close())
  return {
    url: vendor.url,
    requests,
    answer: (next) => {
      script = next
    },
  }
}

/** The models of the upstream by the kinds of calls that they are for. */
export const MEDIA_MODELS = { image: 'studio:draw', speech: 'studio:speak', transcription: 'studio:whisper' }

/** Adds the upstream as a provider and chooses its models for the server. */
export async function useMedia({ call }: Pick<TestServer, 'call'>, base_url: string): Promise<void> {
  const models = Object.entries(MEDIA_MODELS).map(([model_kind, reference]) => {
    const id = reference.split(':')[1]!
    return { id, name: id, model_kind }
  })
  await call('POST', '/admin/providers', { name: 'studio', kind: 'openai-compatible', base_url, models })
  await call('PUT', '/models/defaults', MEDIA_MODELS)
}
