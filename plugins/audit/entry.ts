import type { AuditRecord } from '#kernel'
import type { AuditEntry } from './documents.ts'

/** Characters of text in a row, the mark of the cut included. */
export const TEXT_LIMIT = { actor: 64, action: 64, target: 256, ip: 64, request_id: 64 } as const
/** Bytes of a payload as JSON. */
const PAYLOAD_LIMIT = 4096
const STRING_LIMIT = 256
const NAME_LIMIT = 64
const ITEMS_LIMIT = 32
const FIELDS_LIMIT = 64
const DEPTH_LIMIT = 4
/** Stands for what was left out. */
const CUT = '…'

/** Makes the entry of a record, bounded in size whatever the caller has sent. */
export function createEntry(record: AuditRecord, entry_id: string): AuditEntry {
  const { ts, actor, action, target, payload, status, ip, request_id } = record
  return {
    entry_id,
    ts,
    actor: shortenIfAny(actor, TEXT_LIMIT.actor),
    action: shorten(action, TEXT_LIMIT.action),
    target: shortenIfAny(target, TEXT_LIMIT.target),
    payload: payload === undefined ? null : encodePayload(payload),
    status,
    ip: shortenIfAny(ip, TEXT_LIMIT.ip),
    request_id: shortenIfAny(request_id, TEXT_LIMIT.request_id),
  }
}

/** A payload as JSON: as it is but for long parts; else the names of its fields; else only the mark. */
function encodePayload(payload: unknown): string {
  const content = bound(payload, DEPTH_LIMIT)
  const names = isObject(content) ? mapFields(content, () => CUT) : CUT
  return [content, names, CUT]
    .map((form) => JSON.stringify(form))
    .find((text) => Buffer.byteLength(text) <= PAYLOAD_LIMIT)!
}

function bound(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shorten(value, STRING_LIMIT)
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return CUT
  if (Array.isArray(value)) {
    const items = value.slice(0, ITEMS_LIMIT).map((item) => bound(item, depth - 1))
    return value.length > ITEMS_LIMIT ? [...items, CUT] : items
  }
  return mapFields(value, (field) => bound(field, depth - 1))
}

function mapFields(value: object, map: (field: unknown) => unknown): object {
  const fields = Object.entries(value)
  const kept = fields.slice(0, FIELDS_LIMIT).map(([name, field]) => [shorten(name, NAME_LIMIT), map(field)])
  return Object.fromEntries(fields.length > FIELDS_LIMIT ? [...kept, [CUT, CUT]] : kept)
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Cuts text, never inside a surrogate pair; half a pair, which the database cannot hold, becomes U+FFFD. */
function shorten(text: string, limit: number): string {
  const kept =
    text.length > limit ? text.slice(0, limit - CUT.length).replace(/[\ud800-\udbff]$/, '') + CUT : text
  return Buffer.from(kept).toString()
}

const shortenIfAny = (text: string | null, limit: number): string | null =>
  text === null ? null : shorten(text, limit)
