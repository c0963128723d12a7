import { nullable, objectOf, rowOf } from '#plugin-api'

/** The longest text that is spoken in one call, in characters: as much as the models of most vendors take. */
const MAX_SPOKEN_CHARS = 4096

/** The answer of GET /voice. */
export const voiceFacts = {
  title: 'VoiceFacts',
  ...rowOf({
    transcription: { type: 'boolean', description: 'True if audio can be transcribed', examples: [true] },
    speech: { type: 'boolean', description: 'True if text can be spoken', examples: [true] },
  }),
} as const

/** The answer of POST /transcriptions. */
export const transcript = {
  title: 'Transcript',
  ...rowOf({
    text: {
      type: 'string',
      description: 'The words; empty if nobody speaks',
      examples: ['Please add milk to the list.'],
    },
    language: {
      ...nullable({ type: 'string' }),
      description: 'The language as the model names it; null if it does not',
      examples: ['en'],
    },
    seconds: {
      ...nullable({ type: 'number', minimum: 0 }),
      description: 'The length of the audio; null if the model does not say it',
      examples: [4.2],
    },
  }),
} as const

/** POST /speech. */
export const spokenText = objectOf(
  {
    text: {
      type: 'string',
      maxLength: MAX_SPOKEN_CHARS,
      pattern: '\\S',
      description: 'The words, without Markdown',
      examples: ['Your report is ready.'],
    },
    voice: {
      type: 'string',
      pattern: '^[\\w.:-]{1,64}$',
      description: "A voice of the model; the model's usual one if missing",
      examples: ['alloy'],
    },
    format: {
      title: 'SpeechFormat',
      enum: ['mp3', 'opus', 'aac', 'flac', 'wav'],
      default: 'mp3',
      description: 'The format of the audio; `opus` comes in Ogg',
    },
  },
  ['text'],
)

/** The audio as the answer of the same route. */
export const AUDIO = { type: 'string', format: 'binary' } as const
