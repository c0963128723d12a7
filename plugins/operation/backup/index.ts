// Owns only the time of the last backup: it copies what the other plugins store in the database and in the home.
import { definePlugin } from '#plugin-api'
import { backupCommand } from './backup-command.ts'
import { LAST_BACKUP, readLastBackup } from './last-backup.ts'
import { manifest } from './manifest.ts'
import { migrateCommand } from './migrate-command.ts'
import { restoreCommand } from './restore-command.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('backup.restored', { noun: 'repair of restored data' })
    host.collection(LAST_BACKUP)
    host.extend('overview.last_backup', (_, { collections }) => readLastBackup(collections))
    host.extend('metrics.gauges', async (_, { collections, clock }) => {
      const ended_at = await readLastBackup(collections)
      if (ended_at === null) return []
      return [
        {
          name: 'svc_last_backup_age_seconds',
          help: 'Seconds since the last complete backup; absent if there was none',
          value: Math.max(0, clock.seconds() - ended_at),
        },
      ]
    })
    host.health(async ({ config, collections, clock }) => {
      const { max_age_hours } = config
      if (max_age_hours === undefined) return
      const ended_at = await readLastBackup(collections)
      const limit = `plugins.backup.max_age_hours is ${max_age_hours}`
      if (ended_at === null) throw new Error(`there is no backup yet; ${limit}`)
      const hours = (clock.seconds() - ended_at) / 3600
      if (hours > max_age_hours)
        throw new Error(`the last backup ended ${Math.floor(hours)} hours ago; ${limit}`)
    })
    host.command(backupCommand)
    host.command(restoreCommand)
    host.command(migrateCommand)
  },
})
