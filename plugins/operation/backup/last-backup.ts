import type { Db } from 'mongodb'
import type { Cradle } from './manifest.ts'

/** The collection with the end of the last backup. */
export const LAST_BACKUP = 'last_backup'

/** The end of the last backup, in Unix seconds. */
interface LastBackupDocument {
  _id: 'last'
  ended_at: number
}

/** Stores the time at which a backup was complete. */
export async function noteBackup(db: Db, ended_at: number): Promise<void> {
  await db
    .collection<LastBackupDocument>(LAST_BACKUP)
    .updateOne({ _id: 'last' }, { $set: { ended_at } }, { upsert: true })
}

/** Returns the end of the last backup in Unix seconds; null if there was none. */
export async function readLastBackup(collections: Cradle['collections']): Promise<number | null> {
  const last = await collections[LAST_BACKUP].findOne({ _id: 'last' })
  return last?.ended_at ?? null
}

declare module '#kernel/types' {
  interface Collections {
    backup: { last_backup: LastBackupDocument }
  }
}
