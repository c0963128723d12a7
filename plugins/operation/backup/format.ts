import type { KeyDerivation } from './sealing.ts'

/** The number of the format of archives; it rises when older versions cannot read them. */
export const FORMAT = 1

/** The entry `backup.json`, the first of an archive. */
export interface ArchiveHead {
  format: number
  /** The version of the server. */
  version: string
  /** Unix seconds. */
  created_at: number
  database: 'embedded' | 'server'
  /** The data versions, by plugin; `server` is that of the whole. */
  data_versions: Record<string, number>
  encryption: KeyDerivation
}

/** The entry `end.json`, the last of an archive: without it the archive is incomplete. */
export interface ArchiveEnd {
  files: number
  /** Documents by collection, those included that were deleted while the backup ran. */
  collections: Record<string, number>
  /** Files that became shorter while they were read, which the archive fills with zeros; at most 1,000. */
  changed: string[]
  /** Files and folders that are not in the archive, as they could not be read or stored; at most 1,000. */
  unreadable?: Unreadable[]
  /** The number of all of these. */
  unreadable_count?: number
}

/** Returns the number of documents in an archive. */
export const countDocuments = ({ collections }: Pick<ArchiveEnd, 'collections'>): number =>
  Object.values(collections).reduce((sum, count) => sum + count, 0)

/** A file or folder of the home that could not be read; `path` is cut if it is long. */
export interface Unreadable {
  path: string
  reason: string
}

/** Files in the home that are encrypted in an archive. */
export const SEALED_FILES = ['secret.key', 'config.json', 'initial-admin-password'] as const

/** Paths of the home that are not part of a backup: each is made again, belongs to a process, or is in the archive otherwise. */
const LEFT_OUT = new Set<string>([
  ...SEALED_FILES,
  'cli-session.json',
  'db',
  'imports',
  'knowledge/index',
  'node_modules',
  'runtime',
  'server.json',
  'uploads',
])

/** True if a path of the home, relative to it, is not part of a backup. */
export const isLeftOut = (path: string): boolean =>
  LEFT_OUT.has(path) || /^\.secret\.key\.|^[^/]+\/\.removed$/.test(path)

/** True if a collection belongs to the processes that run, or is made again. */
export const isPassing = (collection: string): boolean =>
  /(^|_)leases$/.test(collection) ||
  collection === 'nodes' ||
  collection === 'signals' ||
  collection === 'collection_indexes' ||
  collection.startsWith('system.')
