import { readBlueprint } from '../loading/blueprint.ts'
import type { KernelCommand } from './kernel-command.ts'
import { JSON_OPTION, printJson, printTable } from './print.ts'

/** `svc config`: every key with its value and its origin. */
export const configCommand: KernelCommand = {
  name: 'config',
  summary: 'Show every configuration key, its value and its source',
  options: [JSON_OPTION],
  async run({ home, env, options, stdout }) {
    const { config } = await readBlueprint({ home, env })
    const rows = config.rows()
    if (options.json) printJson(stdout, rows)
    else
      printTable(
        stdout,
        rows.map(({ key, value, source, env }) => [
          key,
          value === undefined ? '-' : typeof value === 'string' ? value : JSON.stringify(value),
          source,
          env ?? '',
        ]),
      )
    return 0
  },
}
