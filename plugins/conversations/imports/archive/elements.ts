/** The most bytes of the JSON of one conversation. */
export const MAX_ELEMENT_BYTES: number = 16 * 1024 * 1024
/** The most values of one conversation, which bound its size in memory. */
const MAX_VALUES = 500_000
/** The most levels of one conversation: a form of LibreChat nests each message in the one before it. */
const MAX_LEVELS = 20_000
/** The part of an element that is kept to say which one it is if it cannot be read. */
const HEAD_BYTES = 16 * 1024
/** The keys of a list of conversations within an object, and the most bytes of a key that is looked at. */
const LIST_KEYS = new Set(['conversations', 'chats', 'data'])
const MAX_KEY_BYTES = 32

const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92
const OPENING_BRACKET = 91
const CLOSING_BRACKET = 93
const OPENING_BRACE = 123
const CLOSING_BRACE = 125

/** The reason why an element of a file cannot be read. */
export type ElementFailure = 'too_large' | 'too_complex' | 'cut_off'

/** The JSON of an object of a file, or the beginning of it with the reason why it is not read. */
export type JsonElement = { json: Buffer } | { failure: ElementFailure; head: Buffer }

/**
 * Splits a JSON file into the objects of its list: the list is the file itself, or a field of the object that the file
 * is. An object without such a field is itself the only element. At most one element is in memory, and what is behind
 * a bound is skipped. Yields nothing for a file that is not JSON.
 */
export async function* readElements(source: AsyncIterable<Buffer>): AsyncGenerator<JsonElement, void, void> {
  const splitter = createSplitter()
  for await (const chunk of source) {
    yield* splitter.add(chunk)
    if (splitter.isOver) return
  }
  yield* splitter.end()
}

function createSplitter() {
  let level = 0
  /** The level at which elements begin: 1 in a list, 0 if the file is an object, 2 if a field of that is the list. */
  let elementLevel: number | undefined
  let isText = false
  let isEscaped = false
  let key: number[] = []
  let isOver = false
  /** The element that is being read. */
  let parts: Buffer[] | undefined
  let size = 0
  let values = 0
  let failure: ElementFailure | undefined

  const begin = () => {
    parts = []
    size = 0
    values = 0
    failure = undefined
  }
  const take = (part: Buffer) => {
    if (!parts || part.length === 0) return
    size += part.length
    if (size > MAX_ELEMENT_BYTES) failure ??= 'too_large'
    if (!failure) parts.push(part)
    else parts = [Buffer.concat(parts).subarray(0, HEAD_BYTES)]
  }
  const finish = (): JsonElement => {
    const bytes = Buffer.concat(parts!)
    parts = undefined
    return failure ? { failure, head: bytes.subarray(0, HEAD_BYTES) } : { json: bytes }
  }

  return {
    /** True behind the end of the JSON, or if the file is none. */
    get isOver() {
      return isOver
    },
    add(chunk: Buffer): JsonElement[] {
      const elements: JsonElement[] = []
      let start = 0
      for (let index = 0; index < chunk.length; index += 1) {
        const byte = chunk[index]!
        if (isText) {
          if (isEscaped) isEscaped = false
          else if (byte === BACKSLASH) isEscaped = true
          else if (byte === QUOTE) isText = false
          else if (level === 1 && key.length < MAX_KEY_BYTES) key.push(byte)
          continue
        }
        if (byte === QUOTE) {
          isText = true
          if (level === 1) key = []
        } else if (byte === COMMA) values += 1
        else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
          const isList = byte === OPENING_BRACKET
          if (elementLevel === undefined) elementLevel = isList ? 1 : 0
          // A list within the object that the file is.
          else if (
            isList &&
            level === 1 &&
            elementLevel === 0 &&
            LIST_KEYS.has(Buffer.from(key).toString())
          ) {
            elementLevel = 2
            parts = undefined
          }
          if (!isList && level === elementLevel) {
            begin()
            start = index
          }
          level += 1
          values += 1
          if (values > MAX_VALUES || level - elementLevel > MAX_LEVELS) failure ??= 'too_complex'
        } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) {
          level -= 1
          if (parts && level === elementLevel) {
            take(chunk.subarray(start, index + 1))
            start = index + 1
            elements.push(finish())
          }
          // The list of an object is over: what follows belongs to no element.
          if (level <= 0 || level < elementLevel!) isOver = true
        } else if (level === 0 && !isBlank(byte)) isOver = true
        if (isOver) return elements
      }
      take(chunk.subarray(start))
      return elements
    },
    end(): JsonElement[] {
      if (isOver || !parts) return []
      failure ??= 'cut_off'
      return [finish()]
    },
  }
}

/** True for white space, and for the bytes of a byte order mark. */
const isBlank = (byte: number): boolean => byte <= 32 || byte === 0xef || byte === 0xbb || byte === 0xbf
