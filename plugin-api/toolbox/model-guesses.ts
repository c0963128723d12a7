import type { ModelKind } from '../provider-kind.ts'

/** Words in the ids of models that do not chat. */
const WORDS: readonly (readonly [ModelKind, RegExp])[] = [
  ['rerank', /rerank/i],
  ['embedding', /embed|\bbge\b|\be5\b|\bgte\b/i],
  ['transcription', /whisper|transcri|sensevoice|paraformer|\basr\b/i],
  ['speech', /\btts\b|cosyvoice/i],
  ['image', /dall-e|image|\bflux\b|stable-diffusion/i],
]

/** Words in the ids of models that the server has no use for. */
const UNUSED = /\bsora\b|moderation|realtime|audio|babbage|davinci|turbo-instruct/i

/** Infers the kind of a model from its id; undefined if the server has no use for such models. */
export const inferModelKind = (id: string): ModelKind | undefined =>
  WORDS.find(([, words]) => words.test(id))?.[0] ?? (UNUSED.test(id) ? undefined : 'chat')

/** The estimate of the characters per token, if no upstream has counted. */
export const CHARACTERS_PER_TOKEN = 3

/** The estimate of the tokens of an image, about what upstreams count. */
export const IMAGE_TOKENS = 1500
