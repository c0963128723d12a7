import type { JSONObject } from '@ai-sdk/provider'
import { parseJson } from '#kernel'

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
