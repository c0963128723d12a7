import { StringDecoder } from 'node:string_decoder'

/** The most bytes (UTF-8) of a program's output that the model receives; the rest of 64 KiB is for notes. */
const MAX_KEPT_BYTES = 64 * 1024 - 512
const HALF_BYTES = MAX_KEPT_BYTES / 2

type Stream = 'stdout' | 'stderr'

/** Creates an empty buffer for the output of a program in its order of arrival; it keeps the head and the tail. */
export function createOutput() {
  // A character may be divided between two chunks, with one of the other stream between them.
  const decoders = { stdout: new StringDecoder(), stderr: new StringDecoder() }
  const head: Buffer[] = []
  const tail: Buffer[] = []
  let room = HALF_BYTES
  let tailBytes = 0
  let dropped = 0
  let first: Stream | undefined
  let current: Stream | undefined
  let isLabelled = false
  let endsLine = true

  const keep = (text: string) => {
    const bytes = Buffer.from(text)
    const start = bytes.subarray(0, room)
    const others = bytes.subarray(room)
    room -= start.length
    if (start.length > 0) head.push(start)
    if (others.length > 0) tail.push(others)
    tailBytes += others.length
    while (tail.length > 0 && tailBytes - tail[0]!.length >= HALF_BYTES) {
      const { length } = tail.shift()!
      tailBytes -= length
      dropped += length
    }
    endsLine = text.endsWith('\n')
  }
  const write = (stream: Stream, text: string) => {
    if (text === '') return
    first ??= stream
    if (current !== undefined && stream !== current) {
      keep(`${endsLine ? '' : '\n'}[${stream}]\n`)
      isLabelled = true
    }
    current = stream
    keep(text)
  }

  return {
    write: (stream: Stream, chunk: Buffer) => write(stream, decoders[stream].write(chunk)),

    /** Returns the kept output as text, with the names of the streams if both have written. */
    text(): string {
      for (const stream of ['stdout', 'stderr'] as const) write(stream, decoders[stream].end())
      const label = isLabelled ? `[${first}]\n` : ''
      const end = Buffer.concat(tail)
      if (dropped === 0 && end.length <= HALF_BYTES) return label + Buffer.concat([...head, end]).toString()
      const start = new TextDecoder().decode(Buffer.concat(head), { stream: true })
      const shown = dropPartialCharacter(end.subarray(-HALF_BYTES))
      const hidden = dropped + end.length - shown.length
      return `${label}${start}\n[… ${hidden} bytes are left out here …]\n${shown}`
    },
  }
}

/** Returns the bytes from the first whole character on. */
function dropPartialCharacter(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return bytes.subarray(Math.max(0, start))
}
