/** How much of one tool call's result the model is given, in bytes of UTF-8, notes included. */
export const MAX_OUTPUT_BYTES = 64 * 1024

/** How much of it can be text if notes shall stand behind it. */
export const MAX_TEXT_BYTES = MAX_OUTPUT_BYTES - 512

/** Cuts a text between characters so that it fits the limit with the notes behind it, and says so. */
export function capped(text: string, notes: readonly string[] = []): string {
  const whole = [text, ...notes].join('\n')
  if (Buffer.byteLength(whole) <= MAX_OUTPUT_BYTES) return whole
  const bytes = Buffer.from(text)
  const note = `[cut: only the first part of ${bytes.length} bytes is shown]`
  const rest = ['', note, ...notes].join('\n')
  const room = MAX_OUTPUT_BYTES - Buffer.byteLength(rest)
  return new TextDecoder().decode(bytes.subarray(0, room), { stream: true }) + rest
}

/** A number with what it counts. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}

/** A name or path as it stands in a list: what holds line breaks or other control characters is quoted. */
export function listed(name: string): string {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) ? JSON.stringify(name) : name
}
