// Owns nothing: it copies what the other plugins store in the database and in the home.
import { definePlugin } from '#kernel'
import { backupCommand } from './backup-command.ts'
import { manifest } from './manifest.ts'
import { migrateCommand } from './migrate-command.ts'
import { restoreCommand } from './restore-command.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('backup.restored', { noun: 'repair of restored data' })
    host.command(backupCommand)
    host.command(restoreCommand)
    host.command(migrateCommand)
  },
})
