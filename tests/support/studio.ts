import { definePlugin, defineRoute } from '#plugin-api'
import type { MediaFile } from '../../plugins/models/providers/types.ts'

const words = { type: 'string' } as const
const file = {
  type: 'object',
  properties: { data: words, media_type: words },
  required: ['data', 'media_type'],
} as const
const errors = [
  'MODEL_NOT_CHOSEN',
  'MODEL_RESULT_INVALID',
  'TOKEN_QUOTA_EXCEEDED',
  'MODEL_AUTH_FAILED',
  'MODEL_QUOTA_EXHAUSTED',
  'MODEL_RATE_LIMITED',
  'MODEL_UNAVAILABLE',
  'MODEL_NOT_FOUND',
  'MODEL_CALL_FAILED',
] as const

const toRow = ({ data, media_type }: MediaFile) => ({
  data: Buffer.from(data).toString('base64'),
  media_type,
})

const route = <const Name extends string, const Body extends object>(name: Name, body: Body) =>
  ({
    method: 'POST',
    path: `/studio/${name}`,
    summary: `Try to ${name}`,
    guard: 'user',
    body: { type: 'object', properties: body },
    response: { 200: {} },
    errors,
    audit: { none: 'A test.' },
  }) as const

/** A plugin that lets tests call the models of the server over HTTP. */
export const studio = definePlugin({
  name: 'studio',
  summary: 'Calls the models of other kinds',
  kernel: 1,
  depends: ['providers', 'auth'],
  setup(host) {
    host.routes([
      defineRoute(
        route('draw', { prompt: words, size: words, inputs: { type: 'array', items: file } }),
      ).handle(async ({ body, caller, signal, locale }, { mediaModels }) => {
        const {
          prompt,
          size,
          inputs = [],
        } = body as {
          prompt: string
          size?: '1024x1024'
          inputs?: { data: string; media_type: string }[]
        }
        const pictures = await mediaModels.draw({
          account_id: caller.id,
          prompt,
          size,
          inputs: inputs.map(({ data, media_type }) => ({ data: Buffer.from(data, 'base64'), media_type })),
          signal,
          locale,
        })
        return pictures.map(toRow)
      }),
      defineRoute(route('speak', { text: words, voice: words, format: words })).handle(
        async ({ body, caller, signal }, { mediaModels }) => {
          const { text, voice, format } = body as { text: string; voice?: string; format?: 'wav' }
          return toRow(await mediaModels.speak({ account_id: caller.id, text, voice, format, signal }))
        },
      ),
      defineRoute(route('transcribe', { audio: words, media_type: words, language: words })).handle(
        ({ body, caller, signal }, { mediaModels }) => {
          const { audio, media_type, language } = body as Record<string, string>
          return mediaModels.transcribe({
            account_id: caller.id,
            audio: Buffer.from(audio!, 'base64'),
            media_type: media_type!,
            language,
            signal,
          })
        },
      ),
      defineRoute(route('rerank', { query: words, documents: { type: 'array', items: words } })).handle(
        ({ body, caller, signal }, { mediaModels }) => {
          const { query, documents } = body as { query: string; documents: string[] }
          return mediaModels.rerank({ account_id: caller.id, query, documents, top_n: 2, signal })
        },
      ),
    ])
  },
})
