import type { Db } from 'mongodb'

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

declare module '#kernel/types' {
  interface Collections {
    backup: { last_backup: LastBackupDocument }
  }
}
