import { AppError, detectAudioType, detectPictureType } from '#plugin-api'
import type { MediaFile } from './types.ts'

/** The most bytes of one answer, with its pictures or audio in Base64. */
export const MAX_ANSWER_BYTES = 48 * 1024 * 1024

/** The most pictures of one answer. */
const MAX_PICTURES = 10

/** The most characters of a transcript. */
const MAX_TEXT_CHARS = 1_000_000

/** The longest audio that is believed, in seconds. */
const MAX_SECONDS = 7 * 86_400

/** The reason for which an answer cannot be used. */
export type ResultProblem = 'empty' | 'too_large' | 'wrong_type'

/** Creates the error for an answer that cannot be used; `model` is a reference. */
export const invalidResult = (model: string, problem: ResultProblem): AppError =>
  new AppError('MODEL_RESULT_INVALID', { model, problem })

/** True for such an error. */
export const isInvalidResult = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'MODEL_RESULT_INVALID'

/** Refuses an answer. */
type Refuse = (problem: ResultProblem) => AppError

/** Reads pictures; their first bytes tell their formats. */
export function readPictures(images: unknown, refuse: Refuse): MediaFile[] {
  if (!Array.isArray(images) || images.length === 0) throw refuse('empty')
  if (images.length > MAX_PICTURES) throw refuse('too_large')
  return images.map((image) => {
    const data = toBytes(image, refuse)
    const media_type = detectPictureType(data)
    if (!media_type) throw refuse('wrong_type')
    return { data, media_type }
  })
}

/** Reads audio; its first bytes tell its format. */
export function readAudio(audio: unknown, refuse: Refuse): MediaFile {
  const data = toBytes(audio, refuse)
  const media_type = detectAudioType(data)
  if (!media_type) throw refuse('wrong_type')
  return { data, media_type }
}

/** Reads a transcript; a text that is empty says that nobody spoke. */
export function readTranscript(
  { text, language, durationInSeconds }: { text: unknown; language?: unknown; durationInSeconds?: unknown },
  refuse: Refuse,
): { text: string; language: string | null; seconds: number | null } {
  if (typeof text !== 'string') throw refuse('wrong_type')
  if (text.length > MAX_TEXT_CHARS) throw refuse('too_large')
  const isLanguage = typeof language === 'string' && /^[a-z]{2,3}(-[a-z0-9]+)*$/i.test(language)
  const isLength = Number.isFinite(durationInSeconds) && (durationInSeconds as number) >= 0
  return {
    text: text.trim(),
    language: isLanguage ? language.toLowerCase() : null,
    seconds: isLength ? Math.min(durationInSeconds as number, MAX_SECONDS) : null,
  }
}

/** Reads a ranking of `count` documents, the best first; each document comes once. */
export function readRanking(
  ranking: unknown,
  count: number,
  refuse: Refuse,
): { index: number; score: number }[] {
  if (!Array.isArray(ranking)) throw refuse('wrong_type')
  if (ranking.length === 0) throw refuse('empty')
  if (ranking.length > count) throw refuse('too_large')
  const rows = ranking.map(({ index, relevanceScore: score }) => ({ index, score }))
  const isRow = ({ index, score }: (typeof rows)[number]) =>
    Number.isInteger(index) && index >= 0 && index < count && Number.isFinite(score)
  const indexes = new Set(rows.map(({ index }) => index))
  if (!rows.every(isRow) || indexes.size < rows.length) throw refuse('wrong_type')
  return rows.sort((one, other) => other.score - one.score)
}

/** The Base64 of a vendor; anything else in a text is a page or an error. */
const BASE64 = /^[A-Za-z0-9+/_-]+=*\s*$/

function toBytes(data: unknown, refuse: Refuse): Uint8Array {
  if (typeof data === 'string' && data !== '' && !BASE64.test(data)) throw refuse('wrong_type')
  const bytes = typeof data === 'string' ? Buffer.from(data, 'base64') : data
  if (!(bytes instanceof Uint8Array)) throw refuse('wrong_type')
  if (bytes.byteLength === 0) throw refuse('empty')
  if (bytes.byteLength > MAX_ANSWER_BYTES) throw refuse('too_large')
  return bytes
}
