// Owns nothing: the plugins that own rows remove them, each by its own setting `keep_days`.
import { definePlugin } from '#kernel'
import { manifest } from './manifest.ts'
import { pruneCommand } from './prune-command.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('retention.prunings', { noun: 'removal of old rows' })
    host.command(pruneCommand)
    host.job({
      name: 'retention.prune',
      every_seconds: 3600,
      async run({ extensions, log }) {
        const pruned = await extensions['retention.prunings'].ask({ dry_run: false })
        for (const { kind, count } of pruned) if (count > 0) log.info({ kind, count }, 'removed what is old')
      },
    })
  },
})
