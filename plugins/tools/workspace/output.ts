/** The most bytes (UTF-8) of a tool result that the model receives, notes included. */
const MAX_OUTPUT_BYTES = 64 * 1024

/** The most bytes of text in a result that ends with notes. */
export const MAX_TEXT_BYTES = MAX_OUTPUT_BYTES - 512

/** Appends notes to a text, and cuts the text between characters, with a note, if the result is too long. */
export function fitOutput(text: string, notes: readonly string[] = []): string {
  const whole = [text, ...notes].join('\n')
  if (Buffer.byteLength(whole) <= MAX_OUTPUT_BYTES) return whole
  const bytes = Buffer.from(text)
  const note = `[cut: only the first part of ${bytes.length} bytes is shown]`
  const ending = ['', note, ...notes].join('\n')
  const room = MAX_OUTPUT_BYTES - Buffer.byteLength(ending)
  return new TextDecoder().decode(bytes.subarray(0, room), { stream: true }) + ending
}

/** Formats a number with the noun that it counts, in English. */
export function formatCount(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}

/** Formats a name or path for a list: quotes it if it has line breaks or other control characters. */
export function formatName(name: string): string {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) ? JSON.stringify(name) : name
}
