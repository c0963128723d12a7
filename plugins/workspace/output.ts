/** How much of one tool call's result the model is given, in bytes of UTF-8. */
export const MAX_OUTPUT_BYTES = 64 * 1024

/** Cuts a text to the limit, between characters, and says so. */
export function capped(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_OUTPUT_BYTES) return text
  const kept = new TextDecoder().decode(bytes.subarray(0, MAX_OUTPUT_BYTES), { stream: true })
  return `${kept}\n[cut at ${MAX_OUTPUT_BYTES} of ${bytes.length} bytes]`
}
