// Owns nothing: the plugins that own rows remove them, each by its own setting `keep_days`.
import {
  type Command,
  type Cradle as CradleOf,
  defineManifest,
  definePlugin,
  JSON_OPTION,
  printJson,
  printTable,
} from '#plugin-api'

/** A kind of rows that are removed when they are old enough. */
export interface Pruning {
  /** The kind of the rows, e.g. `threads`. */
  kind: string
  /** Null if everything is kept. */
  keep_days: number | null
  /** The number that was removed, or would be. */
  count: number
}

const manifest = defineManifest({
  name: 'retention',
  summary: 'Removes what is older than the settings say',
})

declare module '#kernel/types' {
  interface Manifests {
    retention: typeof manifest
  }
  interface ExtensionPoints {
    /** Removes the rows that are older than the plugin's settings say; with `dry_run` only counts them. */
    'retention.prunings': (question: { dry_run: boolean }) => Promise<Pruning>
  }
}

/** `svc prune`: runs the hourly job now. */
const pruneCommand: Command<CradleOf<typeof manifest>> = {
  name: 'prune',
  summary: 'Remove data that is older than the keep_days settings',
  options: [{ flags: '--dry-run', summary: 'only count what would be removed' }, JSON_OPTION],
  async run({ options, stdout }, { extensions }) {
    const dry_run = options.dryRun === true
    const prunings = await extensions['retention.prunings'].ask({ dry_run })
    if (options.json) printJson(stdout, prunings)
    else
      printTable(stdout, [
        ['kind', 'kept', dry_run ? 'would be removed' : 'removed'],
        ...prunings.map(({ kind, keep_days, count }) => [
          kind,
          keep_days === null ? 'always' : `${keep_days} ${keep_days === 1 ? 'day' : 'days'}`,
          `${count}`,
        ]),
      ])
    return 0
  },
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('retention.prunings', { noun: 'removal of old rows' })
    host.command(pruneCommand)
    host.job({
      name: 'retention.prune',
      every_seconds: 3600,
      async run({ extensions, log }) {
        const prunings = await extensions['retention.prunings'].ask({ dry_run: false })
        for (const { kind, count } of prunings)
          if (count > 0) log.info({ kind, count }, 'removed what is old')
      },
    })
  },
})
