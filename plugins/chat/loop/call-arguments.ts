import { createJsonMeter } from '#kernel'

/** The most times that arguments may be encoded as text within text. */
const MAX_ENCODINGS = 3

/** The most values of arguments, such as the cells of a table. */
const MAX_VALUES = 200_000

const FENCE = /^```\w*\s*([\s\S]*?)\s*```$/

/** Returns the arguments of a call as an object, as every upstream takes them back; see `readArguments`. */
export function parseArguments(text: string): Record<string, unknown> {
  try {
    return readArguments(text)
  } catch {
    return { text }
  }
}

/**
 * Reads the arguments of a call as models write them: an object, blank, in a block of code, encoded several times, or
 * after an empty object. Another value becomes the field `input`. Throws if they are not JSON.
 */
export function readArguments(text: string): Record<string, unknown> {
  let value = parse(text)
  for (let n = 1; n < MAX_ENCODINGS && typeof value === 'string'; n += 1) {
    const inner = value
    try {
      value = parse(inner)
    } catch {
      break
    }
  }
  if (value === null) return {}
  if (Array.isArray(value) && value.length === 1 && isObject(value[0])) return value[0]
  return isObject(value) ? value : { input: value }
}

function parse(text: string): unknown {
  const json = text.trim()
  if (json === '') return null
  try {
    return parseBounded(json)
  } catch (error) {
    // Some upstreams send an empty object before the arguments.
    const repaired = FENCE.exec(json)?.[1] ?? (json.startsWith('{}') ? json.slice(2) : undefined)
    if (repaired === undefined || !(error instanceof SyntaxError)) throw error
    return parseBounded(repaired)
  }
}

/** Parses JSON with any keys; throws JsonTooComplex, since a stranger may have written it. */
function parseBounded(json: string): unknown {
  createJsonMeter({ max_values: MAX_VALUES }).add(Buffer.from(json))
  return JSON.parse(json)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
