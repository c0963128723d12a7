import { type Command, JSON_OPTION, printJson, printTable } from '#kernel'
import type { Cradle } from './manifest.ts'

/** `svc prune`: does at once what the job does each hour. */
export const pruneCommand: Command<Cradle> = {
  name: 'prune',
  summary: 'Remove what is older than the settings keep_days of plugins say',
  options: [{ flags: '--dry-run', summary: 'only count it' }, JSON_OPTION],
  async run({ options, stdout }, { extensions }) {
    const dry_run = options.dryRun === true
    const pruned = await extensions['retention.prunings'].ask({ dry_run })
    if (options.json) printJson(stdout, pruned)
    else
      printTable(stdout, [
        ['kind', 'kept', dry_run ? 'would be removed' : 'removed'],
        ...pruned.map(({ kind, keep_days, count }) => [
          kind,
          keep_days === null ? 'always' : `${keep_days} days`,
          `${count}`,
        ]),
      ])
    return 0
  },
}
