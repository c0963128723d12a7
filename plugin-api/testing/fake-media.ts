import type { FormFile } from './form-fields.ts'
import { makeAudio, PIXEL, SPOKEN } from './media-samples.ts'

/** The answer of a fake: JSON, or bytes with their type. */
export interface MediaAnswer {
  status: number
  type: string
  body: string | Uint8Array
}

/** The paths of OpenAI's API, and of rankings as Cohere and Jina have them, that these fakes answer. */
export const MEDIA_PATHS = [
  '/images/generations',
  '/images/edits',
  '/audio/speech',
  '/audio/transcriptions',
  '/rerank',
]

type Fields = Record<string, unknown>

/** Answers a call of a model that does not chat, by OpenAI's rules. */
export function answerMedia(path: string, body: unknown): MediaAnswer {
  const fields = (body ?? {}) as Fields
  const missing = REQUIRED[path]?.find((name) => !fields[name] && !fields[`${name}[]`])
  if (missing) return refuse(`Missing required parameter: '${missing}'.`)
  switch (path) {
    case '/images/generations':
    case '/images/edits':
      return draw(path, fields)
    case '/audio/speech':
      return speak(fields)
    case '/audio/transcriptions':
      return transcribe(fields)
    default:
      return rank(fields)
  }
}

const REQUIRED: Record<string, string[]> = {
  '/images/generations': ['model', 'prompt'],
  '/images/edits': ['model', 'prompt', 'image'],
  '/audio/speech': ['model', 'input', 'voice'],
  '/audio/transcriptions': ['model', 'file'],
  '/rerank': ['model', 'query', 'documents'],
}

function draw(path: string, { model, n = 1, response_format, size, ...more }: Fields): MediaAnswer {
  const isGPT = String(model).startsWith('gpt-image')
  // These models always answer with Base64, and refuse to be asked for it.
  if (isGPT && response_format) return refuse("Unknown parameter: 'response_format'.")
  if (size !== undefined && !/^\d+x\d+$/.test(String(size))) return refuse("Invalid value: 'size'.")
  const inputs = [more.image ?? more['image[]'] ?? []].flat() as FormFile[]
  if (path === '/images/edits' && !inputs.every(({ media_type }) => /^image\//.test(media_type)))
    return refuse('Invalid image file or mode for image.')
  const data = Array.from({ length: Number(n) }, () => ({ b64_json: PIXEL }))
  const usage = { input_tokens: 11, output_tokens: 1056, total_tokens: 1067 }
  return json({ created: 0, data, ...(isGPT && { usage }) })
}

function speak({ response_format: format = 'mp3' }: Fields): MediaAnswer {
  return { status: 200, type: `audio/${format === 'mp3' ? 'mpeg' : format}`, body: makeAudio(format) }
}

function transcribe({ model, file, response_format: format = 'json', language }: Fields): MediaAnswer {
  const { filename, bytes } = file as FormFile
  if (!/\.(flac|m4a|mp3|mp4|mpeg|mpga|oga|ogg|wav|webm)$/.test(filename) || bytes.byteLength === 0)
    return refuse('Unrecognized file format.')
  const isVerbose = format === 'verbose_json'
  if (isVerbose && !/whisper/.test(String(model)))
    return refuse(`response_format 'verbose_json' is not compatible with model '${model}'.`)
  const details = { language: language === 'de' ? 'german' : 'english', duration: 1.5, segments: [] }
  return json({ text: SPOKEN, ...(isVerbose && details) })
}

/** Ranks documents by the words of the query that they have. */
function rank({ query, documents, top_n }: Fields): MediaAnswer {
  const words = String(query).toLowerCase().split(/\W+/)
  const results = (documents as string[]).map((text, index) => ({
    index,
    relevance_score: words.filter((word) => text.toLowerCase().includes(word)).length / words.length,
  }))
  results.sort((one, other) => other.relevance_score - one.relevance_score)
  return json({ results: results.slice(0, Number(top_n ?? results.length)) })
}

const json = (value: unknown, status = 200): MediaAnswer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
})

const refuse = (message: string) =>
  json({ error: { message, type: 'invalid_request_error', code: null } }, 400)
