/** How much of a tool's output the model and the readers get, in bytes of UTF-8. */
const OUTPUT_LIMIT = 64 * 1024
/** What the note of a cut takes at the most: an output that is longer by no more is left whole, as one that was cut. */
const NOTE_LENGTH = 64

/** Cuts between characters, whatever the tool was: built-in ones keep within the limit by themselves. */
export function limitOutput(output: string): string {
  if (Buffer.byteLength(output) <= OUTPUT_LIMIT + NOTE_LENGTH) return output
  const bytes = Buffer.from(output)
  const kept = new TextDecoder().decode(bytes.subarray(0, OUTPUT_LIMIT), { stream: true })
  return `${kept}\n[cut after ${OUTPUT_LIMIT} of ${bytes.length} bytes]`
}
