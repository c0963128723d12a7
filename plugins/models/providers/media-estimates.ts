import { CHARACTERS_PER_TOKEN, detectAudioType, IMAGE_TOKENS, type TokenUsage } from '#plugin-api'

/** The estimate of the tokens of one second of audio, about what upstreams count. */
const TOKENS_PER_SECOND = 10

/** The estimate of the bytes of one second of compressed speech. */
const BYTES_PER_SECOND = 4000

const WAV_HEADER_BYTES = 44

/** Estimates the tokens of texts. */
export const estimateText = (...texts: readonly string[]): number =>
  Math.ceil(texts.reduce((sum, { length }) => sum + length, 0) / CHARACTERS_PER_TOKEN)

/** Estimates the tokens of pictures. */
export const estimatePictures = (count: number): number => count * IMAGE_TOKENS

/** Estimates the tokens of audio. */
export const estimateAudio = (seconds: number): number => Math.ceil(seconds * TOKENS_PER_SECOND)

/** The whole seconds of audio: as a WAV file says in its header, otherwise estimated by its size. */
export function measureSeconds(audio: Uint8Array): number {
  const header = Buffer.from(audio.subarray(0, WAV_HEADER_BYTES))
  const isWav = detectAudioType(audio) === 'audio/wav' && header.byteLength === WAV_HEADER_BYTES
  const rate = isWav ? header.readUInt32LE(28) : BYTES_PER_SECOND
  return Math.ceil(audio.byteLength / (rate > 0 ? rate : BYTES_PER_SECOND))
}

/** Counts tokens that nobody has counted. */
export const estimatedUsage = (input_tokens: number, output_tokens = 0): TokenUsage => ({
  input_tokens,
  output_tokens,
  total_tokens: input_tokens + output_tokens,
  is_estimated: true,
})
