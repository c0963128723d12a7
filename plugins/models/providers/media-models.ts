import { usageOf } from './counted-usage.ts'
import type { Cradle } from './manifest.ts'
import {
  estimateAudio,
  estimatedUsage,
  estimatePictures,
  estimateText,
  measureSeconds,
} from './media-estimates.ts'
import { readAudio, readPictures, readRanking, readTranscript } from './media-results.ts'
import type { MediaModels } from './types.ts'

/** Creates the service of the models that draw, speak, transcribe and rank. */
export function createMediaModels({ mediaCalls, mediaDefaults }: Cradle): MediaModels {
  return {
    async find(kind, account_id) {
      const usable = await mediaDefaults.find(kind, account_id)
      if (!usable) return undefined
      const { provider, model, name } = usable
      return { model: `${provider.name}:${model}`, name, provider_id: provider._id }
    },

    draw({ prompt, size, inputs = [], ...caller }) {
      const input = estimateText(prompt) + estimatePictures(inputs.length)
      const files = inputs.map(({ data, media_type: mediaType }) => ({
        type: 'file' as const,
        mediaType,
        data,
      }))
      return mediaCalls.call({
        kind: 'image',
        caller,
        estimate: { tokens: input + estimatePictures(1), media: { pictures: 1 } },
        run: (client, abortSignal) =>
          client.doGenerate({
            prompt,
            n: 1,
            size,
            aspectRatio: undefined,
            seed: undefined,
            files: files.length > 0 ? files : undefined,
            mask: undefined,
            providerOptions: {},
            abortSignal,
          }),
        read: ({ images }, refuse) => readPictures(images, refuse),
        count({ images, usage }) {
          const pictures = Array.isArray(images) ? images.length : 0
          return { usage: countPictures(usage, input, pictures), media: { pictures } }
        },
      })
    },

    speak({ text, voice, format = 'mp3', ...caller }) {
      const input = estimateText(text)
      return mediaCalls.call({
        kind: 'speech',
        caller,
        estimate: { tokens: input, media: { characters: text.length } },
        run: (client, abortSignal) =>
          client.doGenerate({ text, voice, outputFormat: format, providerOptions: {}, abortSignal }),
        read: ({ audio }, refuse) => readAudio(audio, refuse),
        count: () => ({ usage: estimatedUsage(input), media: { characters: text.length } }),
      })
    },

    transcribe({ audio, media_type: mediaType, language, ...caller }) {
      const estimatedSeconds = measureSeconds(audio)
      return mediaCalls.call({
        kind: 'transcription',
        caller,
        estimate: { tokens: estimateAudio(estimatedSeconds), media: { seconds: estimatedSeconds } },
        run: (client, abortSignal) =>
          client.doGenerate({ audio, mediaType, language, providerOptions: {}, abortSignal }),
        read: (answer, refuse) => readTranscript(answer, refuse),
        count({ text, durationInSeconds: said }) {
          const seconds = Number.isFinite(said) && said! > 0 ? Math.ceil(said!) : estimatedSeconds
          return {
            usage: estimatedUsage(estimateAudio(seconds), estimateText(String(text))),
            media: { seconds },
          }
        },
      })
    },

    rerank({ query, documents, top_n: topN, ...caller }) {
      const input = estimateText(query, ...documents)
      return mediaCalls.call({
        kind: 'rerank',
        caller,
        estimate: { tokens: input, media: {} },
        run: (client, abortSignal) =>
          client.doRerank({ query, documents: { type: 'text', values: [...documents] }, topN, abortSignal }),
        read: ({ ranking }, refuse) => readRanking(ranking, documents.length, refuse),
        count: () => ({ usage: estimatedUsage(input), media: {} }),
      })
    },
  }
}

type ImageUsage = { inputTokens: number | undefined; outputTokens: number | undefined } | undefined

/** Counts the tokens of pictures, as the upstream has counted them if it has. */
const countPictures = (usage: ImageUsage, input_tokens: number, pictures: number) =>
  usageOf(
    {
      inputTokens: {
        total: usage?.inputTokens,
        noCache: undefined,
        cacheRead: undefined,
        cacheWrite: undefined,
      },
      outputTokens: { total: usage?.outputTokens, text: undefined, reasoning: undefined },
    },
    () => ({ input_tokens, output_tokens: estimatePictures(pictures) }),
  )
