/** Objects that a vendor encodes as text are sometimes encoded again by a gateway. */
const MAX_ENCODINGS = 3

/**
 * Returns the arguments of a call as the JSON of an object if they are one: encoded again, or as an object already.
 * Blank arguments and `null` become the empty text; anything else stays as it is.
 */
export function toCallInput(reported: unknown): string {
  if (typeof reported !== 'string') return reported == null ? '' : JSON.stringify(reported)
  if (reported.startsWith('{')) return reported
  let value: unknown = reported
  for (let n = 0; n < MAX_ENCODINGS && typeof value === 'string'; n += 1) {
    if (value.trim() === '') return ''
    try {
      value = JSON.parse(value)
    } catch {
      // The caller tells the model that its arguments are not JSON.
      return reported
    }
  }
  if (value === null) return ''
  return typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : reported
}

/** Creates the id of a call that its upstream has not named; every vendor takes its length and characters. */
export const createCallId = (): string => `call_${crypto.randomUUID().replaceAll('-', '')}`
