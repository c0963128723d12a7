import { type AuditRecord, cutText } from '#plugin-api'
import type { AuditEntry } from './documents.ts'

/** The maximum characters of the text fields of a row, including the mark of a cut. */
export const MAX_FIELD_CHARS = {
  actor: 64,
  action: 64,
  target: 256,
  ip: 64,
  request_id: 64,
  credential: 64,
} as const
/** The maximum bytes of a payload as JSON. */
const MAX_PAYLOAD_BYTES = 4096
const MAX_STRING_CHARS = 256
const MAX_NAME_CHARS = 64
const MAX_ITEMS = 32
const MAX_FIELDS = 64
const MAX_DEPTH = 4
/** Replaces the part that was cut. */
const CUT = '…'

/** Creates the entry of a record, and limits its size. */
export function createEntry(record: AuditRecord, entry_id: string): AuditEntry {
  const { ts, actor, action, target, payload, status, ip, request_id, credential } = record
  return {
    entry_id,
    ts,
    actor: shortenIfAny(actor, MAX_FIELD_CHARS.actor),
    action: shorten(action, MAX_FIELD_CHARS.action),
    target: shortenIfAny(target, MAX_FIELD_CHARS.target),
    payload: payload === undefined ? null : encodePayload(payload),
    status,
    ip: shortenIfAny(ip, MAX_FIELD_CHARS.ip),
    request_id: shortenIfAny(request_id, MAX_FIELD_CHARS.request_id),
    ...(credential !== undefined && { credential: shorten(credential, MAX_FIELD_CHARS.credential) }),
  }
}

/** Encodes a payload as JSON with long parts cut; if that is too long, only its field names; else only the mark. */
function encodePayload(payload: unknown): string {
  const content = bound(payload, MAX_DEPTH)
  const names = isObject(content) ? mapFields(content, () => CUT) : CUT
  return [content, names, CUT]
    .map((form) => JSON.stringify(form))
    .find((text) => Buffer.byteLength(text) <= MAX_PAYLOAD_BYTES)!
}

function bound(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shorten(value, MAX_STRING_CHARS)
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return CUT
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => bound(item, depth - 1))
    return value.length > MAX_ITEMS ? [...items, CUT] : items
  }
  return mapFields(value, (field) => bound(field, depth - 1))
}

function mapFields(value: object, map: (field: unknown) => unknown): object {
  const fields = Object.entries(value)
  const entries = fields
    .slice(0, MAX_FIELDS)
    .map(([name, field]) => [shorten(name, MAX_NAME_CHARS), map(field)])
  return Object.fromEntries(fields.length > MAX_FIELDS ? [...entries, [CUT, CUT]] : entries)
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Cuts text, but not inside a surrogate pair; a lone surrogate, which the database cannot store, becomes U+FFFD. */
function shorten(text: string, limit: number): string {
  const shortened = text.length > limit ? cutText(text, limit - CUT.length) + CUT : text
  return shortened.toWellFormed()
}

const shortenIfAny = (text: string | null, limit: number): string | null =>
  text === null ? null : shorten(text, limit)
