// Owns only the time of the last backup: it copies what the other plugins store in the database and in the home.
import { definePlugin } from '#plugin-api'
import { backupCommand } from './backup-command.ts'
import { LAST_BACKUP } from './last-backup.ts'
import { manifest } from './manifest.ts'
import { migrateCommand } from './migrate-command.ts'
import { restoreCommand } from './restore-command.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('backup.restored', { noun: 'repair of restored data' })
    host.collection(LAST_BACKUP)
    host.extend('overview.last_backup', async (_, { collections }) => {
      const last = await collections[LAST_BACKUP].findOne({ _id: 'last' })
      return last?.ended_at ?? null
    })
    host.command(backupCommand)
    host.command(restoreCommand)
    host.command(migrateCommand)
  },
})
