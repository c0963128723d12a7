import Bourne from '@hapi/bourne'

/** The most levels of JSON. The database stores about a hundred, and code that walks a value has a stack. */
export const MAX_JSON_LEVELS = 64
/** The most values of JSON: parsing a million of them, and looking at each, blocks the server for seconds. */
export const MAX_JSON_VALUES = 50_000

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92
const OPENING_BRACKET = 91
const CLOSING_BRACKET = 93
const OPENING_BRACE = 123
const CLOSING_BRACE = 125

/** JSON has more levels or values than are read. */
export class JsonTooComplex extends Error {
  readonly limit: number
  readonly unit: 'levels' | 'values'

  constructor(limit: number, unit: 'levels' | 'values') {
    super(`it has more than ${limit} ${unit}`)
    this.limit = limit
    this.unit = unit
  }
}

/** Counts the levels and values of JSON without parsing it. */
export interface JsonMeter {
  /** Counts the next bytes, of one JSON text or of several; throws JsonTooComplex. */
  add(bytes: Uint8Array): void
  /** Starts from zero. */
  reset(): void
}

/** Creates a meter. It counts at least what a parser creates before it finds an error, and lists and objects twice. */
export function createJsonMeter({ max_values = MAX_JSON_VALUES } = {}): JsonMeter {
  let levels = 0
  let values = 0
  let isText = false
  let isEscaped = false
  let isLineEmpty = false

  return {
    add(bytes) {
      for (let index = 0; index < bytes.length; index += 1) {
        const byte = bytes[index]
        if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
          // A string of JSON does not span lines. An empty line may end an event, which is a value.
          isText = false
          isEscaped = false
          if (isLineEmpty && byte === LINE_FEED) values += 1
          isLineEmpty = byte === LINE_FEED || isLineEmpty
        } else {
          isLineEmpty = false
          if (isEscaped) isEscaped = false
          else if (byte === QUOTE) isText = !isText
          else if (isText) isEscaped = byte === BACKSLASH
          else if (byte === COMMA) values += 1
          else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
            values += 1
            levels += 1
            if (levels > MAX_JSON_LEVELS) throw new JsonTooComplex(MAX_JSON_LEVELS, 'levels')
          } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) levels = Math.max(0, levels - 1)
        }
        if (values > max_values) throw new JsonTooComplex(max_values, 'values')
      }
    },
    reset() {
      levels = 0
      values = 0
    },
  }
}

/** Parses JSON that others have written; throws JsonTooComplex, or a SyntaxError, also for a key `__proto__`. */
export function parseJson(text: string, bounds: { max_values?: number } = {}): unknown {
  createJsonMeter(bounds).add(Buffer.from(text))
  return Bourne.parse(text)
}
