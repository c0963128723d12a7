/** A part of a file in RTF; the characters are bytes in some code page. */
export type RtfToken =
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'word'; name: string; value: number | undefined }
  | { kind: 'symbol'; name: string }
  | { kind: 'byte'; value: number }

const OPEN = 0x7b
const CLOSE = 0x7d
const ESCAPE = 0x5c
const isLetter = (byte: number) => (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a)
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39
/** The longest name and number of a control word. */
const MAX_NAME = 32
const MAX_DIGITS = 10

/** Yields the parts of a file in RTF. */
export function* readTokens(bytes: Uint8Array): Generator<RtfToken> {
  let index = 0
  const takeWhile = (matches: (byte: number) => boolean, most: number) => {
    const start = index
    while (index < bytes.length && index - start < most && matches(bytes[index]!)) index += 1
    return String.fromCharCode(...bytes.subarray(start, index))
  }
  while (index < bytes.length) {
    const byte = bytes[index]!
    index += 1
    if (byte === OPEN) yield { kind: 'open' }
    else if (byte === CLOSE) yield { kind: 'close' }
    else if (byte !== ESCAPE) {
      // Line ends only divide the file.
      if (byte !== 0x0d && byte !== 0x0a && byte !== 0) yield { kind: 'byte', value: byte }
    } else if (index < bytes.length && isLetter(bytes[index]!)) {
      const name = takeWhile(isLetter, MAX_NAME)
      const sign = bytes[index] === 0x2d && isDigit(bytes[index + 1] ?? 0) ? -1 : 1
      if (sign < 0) index += 1
      const digits = takeWhile(isDigit, MAX_DIGITS)
      if (bytes[index] === 0x20) index += 1
      const value = digits === '' ? undefined : sign * Number(digits)
      // Bytes of a picture, which may look like anything.
      if (name === 'bin') index += Math.max(0, value ?? 0)
      else yield { kind: 'word', name, value }
    } else if (bytes[index] === 0x27) {
      const value = Number.parseInt(String.fromCharCode(...bytes.subarray(index + 1, index + 3)), 16)
      index += 3
      if (!Number.isNaN(value)) yield { kind: 'byte', value }
    } else if (index < bytes.length) {
      yield { kind: 'symbol', name: String.fromCharCode(bytes[index]!) }
      index += 1
    }
  }
}
