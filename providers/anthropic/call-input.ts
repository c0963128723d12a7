import { randomUUID } from 'node:crypto'

/** Returns an id in the form that the vendor takes back; an upstream may send a number, another form, or none. */
export const toCallId = (value: unknown): string =>
  toText(value)
    .replace(/[^a-zA-Z0-9_-]/g, '_')
    .slice(0, 64) || `toolu_${randomUUID().replaceAll('-', '')}`

/** Returns a text, also of a number; empty for everything else. */
export const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** Returns the input of a call as JSON; an empty one comes in the deltas. */
export function toInputJson(input: unknown): string {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null || Object.keys(input).length === 0) return ''
  return JSON.stringify(input)
}

/** The input of a call in pieces. */
export interface InputPieces {
  /** The input in the start of the call, as JSON. */
  initial: string
  hasInput: boolean
}

/** Returns the next piece of an input, or undefined to skip it: some vendors send an empty object before the input. */
export function takeInput(call: InputPieces, piece: unknown): string | undefined {
  const json = toInputJson(piece)
  if (json === '' || (!call.hasInput && json.trim() === '{}')) return undefined
  call.hasInput = true
  return json
}
