import { createJsonMeter } from '#plugin-api'

/** The most times that arguments may be encoded as text within text. */
const MAX_ENCODINGS = 3

/** The most values of arguments, such as the cells of a table. */
const MAX_VALUES = 200_000

/** Matches what templates leave behind arguments. */
const TAIL = /^(\}|<\/?[\w|]{1,40}>|<\|[\w|]{1,40}\|?>|```)$/

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
    if (!(error instanceof SyntaxError)) throw error
    // Some upstreams send an empty object before the arguments, or leave something behind them.
    const start = /^\{\s*\}\s*(?=\{)/.exec(json)?.[0].length ?? 0
    const repaired = FENCE.exec(json)?.[1] ?? takeObject(json.slice(start))
    if (repaired === undefined || repaired === json) throw error
    return parseBounded(repaired)
  }
}

/** Returns the object that a text begins with, if what follows it is no more than a repetition, a bracket or a tag. */
function takeObject(json: string): string | undefined {
  if (!json.startsWith('{')) return undefined
  let depth = 0
  let isText = false
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index]
    if (isText) {
      if (character === '\\') index += 1
      else if (character === '"') isText = false
    } else if (character === '"') isText = true
    else if (character === '{') depth += 1
    else if (character === '}') depth -= 1
    if (depth > 0) continue
    const object = json.slice(0, index + 1)
    const tail = json.slice(index + 1).trim()
    return tail === '' || tail === object || TAIL.test(tail) ? object : undefined
  }
  return undefined
}

/** Parses JSON with any keys; throws JsonTooComplex, since a stranger may have written it. */
function parseBounded(json: string): unknown {
  createJsonMeter({ max_values: MAX_VALUES }).add(Buffer.from(json))
  return JSON.parse(json)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
