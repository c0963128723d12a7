import type { Source } from '../documents.ts'

/** The most bytes of UTF-8 of a tool's output that the model and the readers get. */
const MAX_OUTPUT_BYTES = 64 * 1024
/** The most bytes of the note at a cut; an output that exceeds the limit by no more stays whole. */
const MAX_NOTE_BYTES = 64
const MAX_ADDRESS_CHARS = 2048
const MAX_TITLE_CHARS = 256
/** The part of a passage that a source shows; its place is that of all of it. */
const MAX_PASSAGE_CHARS = 1000

/**
 * Cuts the output of any tool between characters, and replaces halves of characters, for which vendors refuse a request;
 * built-in tools keep within the limit themselves.
 */
export function limitOutput(output: string): string {
  if (Buffer.byteLength(output) <= MAX_OUTPUT_BYTES + MAX_NOTE_BYTES) return output.toWellFormed()
  const bytes = Buffer.from(output)
  const shown = new TextDecoder().decode(bytes.subarray(0, MAX_OUTPUT_BYTES), { stream: true })
  return `${shown}\n[cut after ${MAX_OUTPUT_BYTES} of ${bytes.length} bytes]`
}

/** Bounds a source that a tool names: a long title is cut, a long address left out. */
export const limitSource = ({ id, title, url, uri, ...more }: Source): Source => ({
  ...more,
  ...(more.text !== undefined && { text: more.text.slice(0, MAX_PASSAGE_CHARS) }),
  id: id.slice(0, MAX_ADDRESS_CHARS),
  title: title.length > MAX_TITLE_CHARS ? `${title.slice(0, MAX_TITLE_CHARS - 1)}…` : title,
  ...(url !== undefined && url.length <= MAX_ADDRESS_CHARS && { url }),
  ...(uri !== undefined && { uri: uri.slice(0, MAX_ADDRESS_CHARS) }),
})
