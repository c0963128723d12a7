import type { BigIntStats } from 'node:fs'
import { mediaTypeOf } from './media-type.ts'

/** A file or folder as the API shows it; `path` is relative to the workspace, `updated_at` in Unix seconds. */
export interface FileRow {
  path: string
  kind: 'file' | 'directory'
  /** Bytes; null for a folder. */
  size: number | null
  media_type: string | null
  updated_at: number
}

/** Makes the row of a file or folder; undefined for links, pipes and devices. */
export function rowOf(path: string, stats: BigIntStats): FileRow | undefined {
  const updated_at = Number(stats.mtimeMs / 1000n)
  if (stats.isDirectory()) return { path, kind: 'directory', size: null, media_type: null, updated_at }
  if (!stats.isFile()) return undefined
  return { path, kind: 'file', size: Number(stats.size), media_type: mediaTypeOf(path), updated_at }
}

/** The entity tag of a file: another file, size or time of change makes another one. Renaming keeps it. */
export const etagOf = ({ ino, size, mtimeNs }: BigIntStats): string =>
  [ino, size, mtimeNs].map((fact) => fact.toString(36)).join('-')
