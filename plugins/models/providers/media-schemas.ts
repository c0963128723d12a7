import { nullable, objectOf, rowOf } from '#plugin-api'
import { reference } from './schemas.ts'

const mediaDefault = (description: string, example: string) =>
  ({ ...nullable({ type: 'string' } as const), description, examples: [example] }) as const

/** The models that the server uses, by kind. */
const mediaDefaultFields = {
  image: mediaDefault('Draws and changes pictures', 'openai:gpt-image-1'),
  speech: mediaDefault('Reads texts aloud', 'openai:gpt-4o-mini-tts'),
  transcription: mediaDefault('Turns speech into text', 'openai:gpt-4o-transcribe'),
  rerank: mediaDefault('Sorts passages by their relevance', 'bedrock:cohere.rerank-v3-5:0'),
} as const

const { image, speech, transcription, rerank } = mediaDefaultFields
const choice = nullable(reference)

export const mediaDefaults = {
  title: 'ModelDefaults',
  ...rowOf(
    {
      ...mediaDefaultFields,
      disabled: {
        ...objectOf({
          image: { type: 'string' },
          speech: { type: 'string' },
          transcription: { type: 'string' },
          rerank: { type: 'string' },
        }),
        description:
          'The chosen models that cannot be used, because their provider is disabled or lacks them; they count as null',
        examples: [{ speech: 'openai:tts-1' }],
      },
    },
    ['disabled'],
  ),
} as const

export const mediaDefaultChoices = {
  title: 'ModelDefaultChoices',
  ...objectOf({
    image: { ...choice, description: image.description, examples: image.examples },
    speech: { ...choice, description: speech.description, examples: speech.examples },
    transcription: { ...choice, description: transcription.description, examples: transcription.examples },
    rerank: { ...choice, description: rerank.description, examples: [null] },
  }),
  minProperties: 1,
} as const
