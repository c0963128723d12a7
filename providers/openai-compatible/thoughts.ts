import type { JSONObject, JSONValue } from '@ai-sdk/provider'
import { parseJson } from '#plugin-api'

/** The key of the data that an upstream expects back with the history. */
export const METADATA_KEY = 'openaiCompatible'

/** The places of a thought in an answer; an upstream gets it back in the same place. */
export type ThoughtField = 'reasoning_content' | 'reasoning' | 'parts' | 'tags'

/** The lists that an upstream expects back as they came: OpenRouter's and LiteLLM's. */
const LISTS = ['reasoning_details', 'thinking_blocks'] as const

/** The data of a thought beside its text. */
export interface ThoughtData {
  field?: ThoughtField
  reasoning_details?: JSONObject[]
  thinking_blocks?: JSONObject[]
}

type Lists = Partial<Record<(typeof LISTS)[number], unknown>>

/** Creates the collector of the lists of one answer. */
export function createThoughtLists() {
  const lists: Partial<Record<(typeof LISTS)[number], JSONObject[]>> = {}
  return {
    /** Adds the lists of a delta; returns their text. */
    add(delta: Lists): string {
      let text = ''
      for (const name of LISTS) {
        const items = delta[name]
        if (!Array.isArray(items)) continue
        lists[name] ??= []
        const list = lists[name]
        for (const item of items) {
          if (typeof item !== 'object' || item === null) continue
          if (text === '' || name === 'reasoning_details') text += textOf(item)
          join(list, item)
        }
      }
      return text
    },
    /** Returns the lists as they go back to the upstream; undefined if there are none. */
    convert(): Omit<ThoughtData, 'field'> | undefined {
      const copy = copyBounded(lists)
      return copy && Object.keys(copy).length > 0 ? copy : undefined
    },
  }
}

/** The collector of the lists of one answer. */
export type ThoughtLists = ReturnType<typeof createThoughtLists>

const textOf = ({ text, summary, thinking }: Record<string, unknown>): string =>
  [text, summary, thinking].find((words) => typeof words === 'string') ?? ''

/** The fields of an item that arrive in pieces. */
const PIECES = ['text', 'summary', 'thinking']

/** Joins the pieces of one item, which is what an upstream checks its signature against. */
function join(list: JSONObject[], item: Record<string, JSONValue | undefined>): void {
  const last = list.at(-1)
  const isPiece =
    last !== undefined &&
    PIECES.some((name) => typeof item[name] === 'string' || typeof item.signature === 'string') &&
    last.type === item.type &&
    last.index === item.index &&
    !last.signature
  if (!isPiece) {
    list.push({ ...item })
    return
  }
  for (const [name, value] of Object.entries(item)) {
    if (value === undefined || value === null) continue
    const start = last[name]
    last[name] = PIECES.includes(name) && typeof start === 'string' ? start + String(value) : value
  }
}

/** The most data that is kept of an upstream's own fields; encrypted thoughts are long. */
const MAX_CHARS = 1024 * 1024

/** Copies what an upstream expects back with the history; undefined for data that cannot be stored. */
export function copyBounded(value: object): JSONObject | undefined {
  const text = JSON.stringify(value)
  if (text.length > MAX_CHARS) return undefined
  try {
    return parseJson(text) as JSONObject
  } catch {
    // Too deep or too many values: the upstream gets the call without it.
    return undefined
  }
}
