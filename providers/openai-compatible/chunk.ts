import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { isObject, parseLoosely } from '#plugin-api'
import type { CallDelta } from './call-writer.ts'

/** The fields of one event of a streamed chat completion that are used here, none of which can be relied on. */
export interface Chunk {
  id?: unknown
  model?: unknown
  created?: unknown
  object?: unknown
  usage?: unknown
  /** Gemini's name for the usage. */
  usageMetadata?: unknown
  x_groq?: { usage?: unknown } | null
  choices?: Choice[] | Choice | null
}

/** An answer, of which this service asks for one. */
export interface Choice {
  index?: unknown
  delta?: Delta | null
  /** Instead of `delta`, for an answer that is not streamed. */
  message?: Delta | null
  text?: unknown
  finish_reason?: unknown
  usage?: unknown
  error?: unknown
}

/** A part of an answer. */
export interface Delta {
  content?: unknown
  refusal?: unknown
  reasoning_content?: unknown
  reasoning?: unknown
  reasoning_text?: unknown
  reasoning_details?: unknown
  thinking_blocks?: unknown
  tool_calls?: unknown
  function_call?: CallDelta['function']
  images?: unknown
  usage?: unknown
}

/** A part of a content that is a list. */
export interface ContentPart {
  type?: unknown
  text?: unknown
  thinking?: unknown
  refusal?: unknown
  image_url?: unknown
}

/** Returns the description of an answer. */
export function describe({ id, model, created }: Chunk): LanguageModelV3StreamPart {
  return {
    type: 'response-metadata',
    id: typeof id === 'string' ? id : undefined,
    modelId: typeof model === 'string' ? model : undefined,
    timestamp: typeof created === 'number' && created > 0 ? toDate(created) : undefined,
  }
}

/** Finds the first answer; this service never asks for several. */
export function findChoice(choices: Chunk['choices']): Choice | undefined {
  if (!choices) return undefined
  if (!Array.isArray(choices)) return choices
  const first = choices[0]
  if (first && (first.index === 0 || first.index == null)) return first
  return choices.find((choice) => choice && Number(choice.index ?? 0) === 0)
}

/** Returns the texts and objects of a list, or of one value. */
export const toList = (value: unknown): readonly unknown[] =>
  (Array.isArray(value) ? value : [value]).filter(
    (item) => typeof item === 'string' || (typeof item === 'object' && item !== null),
  )

/** Reads calls from a list, from one call, or from an object with calls by their index. */
export function toCalls(value: unknown): readonly CallDelta[] {
  // A gateway may encode calls as text; other words in this field are not a call.
  if (typeof value === 'string') {
    const calls = parseLoosely(value)
    return typeof calls === 'string' ? [] : toCalls(calls)
  }
  const isMap = isObject(value) && !('function' in value || 'name' in value)
  return toList(isMap ? Object.values(value) : value).filter(
    (item) => typeof item === 'object',
  ) as CallDelta[]
}

/** Joins the texts of a thought: one text, or a list of parts. */
export const joinTexts = (thought: unknown): string =>
  typeof thought === 'string'
    ? thought
    : toList(thought)
        .map((part) => (typeof part === 'string' ? part : (part as ContentPart).text))
        .filter((text) => typeof text === 'string')
        .join('')

/** Converts a picture that a model has drawn; undefined for one that is elsewhere. */
export function toFile(image: unknown): LanguageModelV3StreamPart | undefined {
  const { image_url } = image as ContentPart
  const url = typeof image_url === 'string' ? image_url : (image_url as { url?: unknown } | null)?.url
  const [, mediaType, data] = typeof url === 'string' ? (DATA_URL.exec(url) ?? []) : []
  return mediaType && data ? { type: 'file', mediaType, data } : undefined
}

function toDate(seconds: number): Date | undefined {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? undefined : date
}

const DATA_URL = /^data:([a-z]+\/[a-z0-9.+-]+);base64,([A-Za-z0-9+/=]+)$/
