import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cradle } from './manifest.ts'

/** A file in memory. */
export interface ReceivedBytes {
  bytes: Uint8Array
  filename: string
  media_type: string
}

/** Stores bytes as a file that was sent to an agent; returns undefined if nothing keeps the files of agents. */
export async function storeReceivedBytes(
  { bytes, filename, media_type }: ReceivedBytes,
  owner: { agent_id: string; user_id: string },
  { extensions, server }: Pick<Cradle, 'extensions' | 'server'>,
) {
  const folder = join(server.home, 'uploads')
  const path = join(folder, randomUUID())
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(path, bytes, { mode: 0o600 })
    const file = { path, filename, media_type, size: bytes.length }
    const [stored] = await extensions['agents.received_files'].ask({ ...owner, file })
    return stored
  } finally {
    await rm(path, { force: true })
  }
}
