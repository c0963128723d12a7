import { decodePercent, detectPictureType, isObject, type Json } from '#plugin-api'
import { isPresent, toLooseText } from './loose-values.ts'

/** The beginning of a data URL; with more parameters, matching it could exhaust the stack. */
const DATA_URL = /^data:([^;,]{0,200})(?:;[^;,]{1,200}){0,20},/i
const MEDIA_TYPE = /^[a-z]+\/[\w.+-]{1,80}$/i

/** The names of the field with a media type: the protocol's first, then the names in other protocols. */
const MEDIA_TYPE_FIELDS = ['mimeType', 'mime_type', 'mediaType', 'media_type', 'contentType']

/** The fields of a result that are not its content. */
const ENVELOPE_FIELDS = new Set([
  '_meta',
  'content',
  'structuredContent',
  'isError',
  'is_error',
  'resultType',
])

/** The fields of a part that are not its content. */
const FRAME_FIELDS = new Set(['type', 'annotations', '_meta'])

/** A part of a result. */
export type ResultPart =
  | { type: 'text'; text: string }
  | { type: 'file'; bytes: Buffer; media_type: string }
  | { type: 'link'; uri?: string; title: string }
  | { type: 'resource'; uri?: string; content: ResultPart }

/** The result of a tool, as much of it as can be read. */
export interface ToolResult {
  parts: ResultPart[]
  isError: boolean
}

/**
 * Reads the result of a tool, which may have any form: servers leave fields out, write null, and add parts of their
 * own. The levels and values of an answer are bounded before.
 */
export function readToolResult(result: unknown): ToolResult {
  if (!isObject(result)) return { parts: readParts(result), isError: false }
  const parts = readParts(result.content)
  const { structuredContent } = result
  if (!parts.some(hasWords) && isPresent(structuredContent)) parts.push(toText(structuredContent))
  if (parts.length === 0) parts.push(...readOtherFields(result))
  return { parts, isError: isTrue(result.isError ?? result.is_error) }
}

function readParts(content: unknown): ResultPart[] {
  if (!isPresent(content)) return []
  if (Array.isArray(content)) return content.flatMap(readParts)
  return isObject(content) ? readPart(content) : [toText(content)]
}

/** Reads a part by its fields, which say more than its type. */
function readPart(part: Json): ResultPart[] {
  const { type, text, resource, uri } = part
  if (isPresent(text) && type !== 'resource') return [toText(text)]
  if (type === 'text') return []
  if (type === 'resource' || isObject(resource)) return readResource(isObject(resource) ? resource : part)
  const file = readFile(part)
  if (file) return [file]
  const address = [uri, part.url, Object(part.image_url).url].find(isName)
  const title = [part.title, part.name, address].find(isName)
  if (title !== undefined && (address !== undefined || type === 'resource_link'))
    return [{ type: 'link', title, ...(address !== undefined && { uri: address }) }]
  if (type === 'image' || type === 'audio') return [toText(`[the ${type} has no data]`)]
  const isEmpty = Object.entries(part).every(([name, value]) => FRAME_FIELDS.has(name) || !isPresent(value))
  return isEmpty ? [] : [toText(part)]
}

function readResource(resource: Json): ResultPart[] {
  const { text, blob } = resource
  const address = isName(resource.uri) ? { uri: resource.uri } : {}
  const file = isName(text) ? undefined : readFile({ ...resource, data: blob ?? resource.data })
  const content = file ?? (isPresent(text) ? toText(text) : undefined)
  if (content) return [{ type: 'resource', ...address, content }]
  const title = [resource.title, resource.name, resource.uri].find(isName)
  return title === undefined ? [] : [{ type: 'link', title, ...address }]
}

/** Reads the file of a part: its data in base64, as a data URL or as bytes; also as other protocols wrap them. */
function readFile(part: Json): ResultPart | undefined {
  const { source, image_url, url, data } = part
  if (isObject(source)) return readFile({ mimeType: readMediaType(part), ...source })
  const [written] = [data, part.blob, Object(image_url).url, image_url, url].filter(isPresent)
  const declared = readMediaType(part)
  const bytes = isObject(written) ? written.data : written
  if (isBytes(bytes)) return toFile(Buffer.from(bytes), declared)
  if (typeof bytes !== 'string' || /^https?:/i.test(bytes)) return undefined
  const [head, stated] = DATA_URL.exec(bytes) ?? ['']
  const encoded = bytes.slice(head.length)
  const isBase64 = head === '' || /;base64,$/i.test(head)
  return toFile(
    isBase64 ? Buffer.from(encoded, 'base64') : Buffer.from(decodePercent(encoded)),
    declared ?? stated,
  )
}

function toFile(bytes: Buffer, stated: string | undefined): ResultPart | undefined {
  if (bytes.length === 0) return undefined
  const media_type = (stated ?? '').split(';')[0]!.trim().toLowerCase()
  return {
    type: 'file',
    bytes,
    media_type: MEDIA_TYPE.test(media_type)
      ? media_type
      : (detectPictureType(bytes) ?? 'application/octet-stream'),
  }
}

const readMediaType = (part: Json): string | undefined =>
  MEDIA_TYPE_FIELDS.map((field) => part[field]).find(isName)

/** Returns the other fields of a result without content, such as `toolResult` of the first protocol, or a task. */
function readOtherFields(result: Json): ResultPart[] {
  const others = Object.entries(result).filter(
    ([name, value]) => !ENVELOPE_FIELDS.has(name) && isPresent(value),
  )
  const [only] = others
  if (!only) return []
  const isOldResult = others.length === 1 && only[0] === 'toolResult'
  return isOldResult ? readOldResult(only[1]) : [toText(Object.fromEntries(others))]
}

/** Reads the result of the protocol's first version, which may have content like later ones. */
const readOldResult = (result: unknown): ResultPart[] =>
  isObject(result) && isPresent(result.content) ? readParts(result.content) : [toText(result)]

const hasWords = (part: ResultPart): boolean =>
  part.type === 'text' ? part.text.trim() !== '' : part.type === 'resource' && hasWords(part.content)

const toText = (value: unknown): ResultPart => ({
  type: 'text',
  text: typeof value === 'string' ? value : JSON.stringify(value),
})

/** True for a flag that is set, also as a text or a number. */
const isTrue = (value: unknown): boolean =>
  isPresent(value) && !/^(?:false|0|no|\[\]|\{\}|)$/i.test(toLooseText(value).trim())

const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isBytes = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256)
