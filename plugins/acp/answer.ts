/** How much of what a runner says the model is given, in bytes of UTF-8; the rest of what it may be given is for notes. */
const KEPT_BYTES = 60 * 1024
const CUT = '[… what it said before is left out here …]\n'

/** What a runner says: its messages, of which the end is kept. */
export interface Answer {
  write(text: string): void
  /** What is said next is a message of its own. */
  endMessage(): void
  text(): string
}

/** Makes an empty answer. */
export function createAnswer(): Answer {
  let text = ''
  let isCut = false
  let isEnded = false
  return {
    write(more) {
      if (more === '') return
      text += (isEnded && text !== '' ? '\n\n' : '') + more
      isEnded = false
      // Cut seldom, as each cut copies what is kept.
      if (text.length > 4 * KEPT_BYTES) {
        text = text.slice(-KEPT_BYTES)
        isCut = true
      }
    },
    endMessage() {
      isEnded = true
    },
    text() {
      const bytes = Buffer.from(text)
      if (!isCut && bytes.length <= KEPT_BYTES) return text.trim()
      const end = bytes.subarray(-KEPT_BYTES)
      const start = end.findIndex((byte) => (byte & 0xc0) !== 0x80)
      return CUT + end.subarray(Math.max(0, start)).toString().trimEnd()
    },
  }
}
