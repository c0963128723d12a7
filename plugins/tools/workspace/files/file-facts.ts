import type { BigIntStats } from 'node:fs'
import { extname } from 'node:path'
import { lookup } from 'mime-types'
import type { TypeOf } from '#plugin-api'
import type { fileRow } from '../file-schemas.ts'

/** A file or folder as the API shows it. */
export type FileRow = TypeOf<typeof fileRow>

/** Converts a file or folder to a row of the API; returns undefined for links, pipes and devices. */
export function toFileRow(path: string, stats: BigIntStats): FileRow | undefined {
  const updated_at = Number(stats.mtimeMs / 1000n)
  if (stats.isDirectory()) return { path, kind: 'directory', size: null, media_type: null, updated_at }
  if (!stats.isFile()) return undefined
  return { path, kind: 'file', size: Number(stats.size), media_type: lookupMediaType(path), updated_at }
}

/** Creates the entity tag of a file, which differs by file, size and time of change. Renaming keeps it. */
export const createEtag = ({ ino, size, mtimeNs }: BigIntStats): string =>
  [ino, size, mtimeNs].map((fact) => fact.toString(36)).join('-')

/** Extensions of source code to which the registry of media types assigns something else. */
const SOURCE_CODE = new Set(['.ts', '.mts', '.cts', '.tsx', '.rs'])

/** Returns the media type by the extension of a file, or `unknown`. */
export function lookupMediaType(path: string, unknown = 'application/octet-stream'): string {
  const extension = extname(path).toLowerCase()
  if (SOURCE_CODE.has(extension)) return 'text/plain'
  return (extension && lookup(extension)) || unknown
}

/**
 * Decodes UTF-8; undefined if the bytes are not text. With `stream`, a character that the end divides is left out; with
 * `ignoreBOM`, a byte order mark is kept as a character.
 */
export function decodeText(
  bytes: Buffer,
  { stream = false, ignoreBOM = false }: { stream?: boolean; ignoreBOM?: boolean } = {},
): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM }).decode(bytes, { stream })
  } catch {
    return undefined
  }
}

/** True for types that a browser displays without running code: pictures, sound, PDF and plain text. */
export function isShowable(media_type: string): boolean {
  return (
    media_type !== 'image/svg+xml' && /^(image|audio)\/|^(application\/pdf|text\/plain)$/.test(media_type)
  )
}
