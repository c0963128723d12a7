import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { readBlueprint, removeTree } from '#plugin-api'
import type { ArchiveEnd } from './format.ts'
import {
  dropCollections,
  type RestoreTarget,
  repair,
  restoreVerified,
  type SecretCounts,
} from './restoration.ts'
import type { VerifiedArchive } from './verification.ts'

/** The folders of a home that are not in its archives, and that a server on a copy needs. */
const SHARED_FOLDERS = ['runtime', 'node_modules']

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The outcome of a restore drill. */
export interface Drill {
  end: ArchiveEnd
  secrets: SecretCounts
}

/**
 * Restores a verified archive into a throwaway home and database, opens it with this version, and removes both. The
 * database is beside that of the server at `home`: in the embedded engine, or with `_drill` after its name. Throws one
 * sentence if the archive cannot be restored.
 */
export async function runDrill(
  { home, env, log }: RestoreTarget,
  source: { openInput: () => Readable; archive: VerifiedArchive },
): Promise<Drill> {
  const { config } = await readBlueprint({ home, env })
  const url = config.values.database.url && toDrillUrl(config.values.database.url)
  const drillHome = mkdtempSync(join(tmpdir(), 'svc-drill-'))
  // It holds the decrypted key.
  const abort = () => {
    rmSync(drillHome, { recursive: true, force: true, maxRetries: 5 })
    process.exit(1)
  }
  for (const signal of SIGNALS) process.once(signal, abort)
  const { SVC_DATABASE_URL: _url, SVC_DATABASE_URL_FILE: _file, ...others } = env
  const target = { home: drillHome, env: { ...others, ...(url && { SVC_DATABASE_URL: url }) }, log }
  try {
    for (const name of SHARED_FOLDERS)
      if (existsSync(join(home, name))) await symlink(join(home, name), join(drillHome, name))
    // A drill that was killed may have left documents.
    if (url) await clearDatabase(url, target)
    const { end } = await restoreVerified(target, source)
    return { end, secrets: await repair(target) }
  } finally {
    await removeTree(drillHome)
    for (const signal of SIGNALS) process.off(signal, abort)
    if (url) await clearDatabase(url, target)
  }
}

async function clearDatabase(url: string, { home, log }: RestoreTarget): Promise<void> {
  const { openDatabase } = await import('#plugin-api/operation')
  const database = await openDatabase({ url, home, log })
  try {
    await dropCollections(database.db)
  } finally {
    await database.close()
  }
}

const ADDRESS = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/

/** Returns the address of the database for drills on the server of another one. The accounts are the same. */
export function toDrillUrl(url: string): string {
  const [, server = url, name = '', query = ''] = ADDRESS.exec(url) ?? []
  const options = new URLSearchParams(query)
  const signsIn = server.includes('@') && !options.has('authSource') && !options.has('authMechanism')
  if (signsIn) options.set('authSource', name || 'admin')
  return `${server}/${name || 'svc'}_drill${options.size > 0 ? `?${options}` : ''}`
}
