import { AppError } from '#plugin-api'
import { route } from './manifest.ts'
import { AUDIO, spokenText, transcript, voiceFacts } from './schemas.ts'

/** The largest audio file, in bytes: as much as the models of most vendors take. */
const MAX_AUDIO_BYTES = 25 * 1024 * 1024
const LANGUAGE = /^[a-z]{2}$/

/** The errors of calls of chosen models. */
const MODEL_ERRORS = [
  'MODEL_NOT_CHOSEN',
  'MODEL_AUTH_FAILED',
  'MODEL_QUOTA_EXHAUSTED',
  'MODEL_RATE_LIMITED',
  'MODEL_UNAVAILABLE',
  'MODEL_NOT_FOUND',
  'MODEL_CALL_FAILED',
  'MODEL_RESULT_INVALID',
  'TOKEN_QUOTA_EXCEEDED',
  'BUDGET_EXCEEDED',
  'PRICE_UNKNOWN',
]

const UNRECORDED = { none: 'Nothing is stored, and the call counts as usage of the account.' } as const

const readVoice = route({
  method: 'GET',
  path: '/voice',
  operation_id: 'readVoice',
  summary: 'Tell if audio can be transcribed and text spoken',
  description:
    'Says if an administrator has chosen a model for transcription and one for speech, and if you can use them now.',
  guard: 'user',
  response: { 200: voiceFacts },
}).handle(async ({ caller }, { mediaModels }) => {
  const [transcription, speech] = await Promise.all([
    mediaModels.find('transcription', caller.id),
    mediaModels.find('speech', caller.id),
  ])
  return { transcription: transcription !== undefined, speech: speech !== undefined }
})

const transcribeAudio = route({
  method: 'POST',
  path: '/transcriptions',
  operation_id: 'transcribeAudio',
  summary: 'Transcribe audio',
  description:
    'Returns the words of the audio file in the field `file`: MP3, M4A, WAV, OGG, WebM or FLAC, recognized by its bytes. `language` is the language of the audio as two letters, if it is known. The file is not kept. The call counts as usage of the account.',
  guard: 'user',
  scope: 'chat',
  upload: { max_bytes: MAX_AUDIO_BYTES, max_files: 1, fields: ['language'] },
  response: { 200: transcript },
  errors: ['AUDIO_NOT_SUPPORTED', ...MODEL_ERRORS],
  audit: UNRECORDED,
}).handle(async ({ files, fields, caller, locale, signal }, { transcriber }) => {
  const language = fields.language || undefined
  if (language !== undefined && !LANGUAGE.test(language))
    throw new AppError('VALIDATION_FAILED', {
      issues: [{ path: '/language', rule: 'pattern', message: 'must be two letters, such as "en"' }],
    })
  return transcriber.transcribe(files[0]!, { account_id: caller.id, locale, signal, language })
})

/** The endings of file names that are not the subtype of the media type. */
const ENDINGS: Readonly<Record<string, string>> = { mpeg: 'mp3', mp4: 'm4a' }

const speakText = route({
  method: 'POST',
  path: '/speech',
  operation_id: 'speakText',
  summary: 'Speak a text',
  description:
    'Returns the text as audio, whose media type is that of its bytes: a model that does not know the format chooses another one. The audio is not kept. The call counts as usage of the account.',
  guard: 'user',
  scope: 'chat',
  body: spokenText,
  stream: 'download',
  response: { 200: AUDIO },
  errors: MODEL_ERRORS,
  audit: UNRECORDED,
}).handle(async ({ body, caller, locale, signal }, { mediaModels }) => {
  const { data, media_type } = await mediaModels.speak({ ...body, account_id: caller.id, locale, signal })
  const subtype = media_type.split('/')[1]!
  return {
    filename: `speech.${ENDINGS[subtype] ?? subtype}`,
    media_type,
    content: (async function* () {
      yield data
    })(),
  }
})

/** The routes of this plugin. */
export const voiceRoutes = [readVoice, transcribeAudio, speakText]
