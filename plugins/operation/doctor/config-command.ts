import { type Command, JSON_OPTION, printJson, printTable, readBlueprint } from '#plugin-api'

/** `svc config`: every key with its value and its origin. */
export const configCommand: Command<unknown> = {
  name: 'config',
  standalone: true,
  summary: 'Show every configuration key, its value and its source',
  options: [JSON_OPTION],
  async run({ home, env, options, stdout }) {
    const { config } = await readBlueprint({ home, env })
    const rows = config.rows()
    const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '-'))
    const table = rows.map(({ key, value, source, env }) => [key, textOf(value), source, env ?? ''])
    if (options.json) printJson(stdout, rows)
    else printTable(stdout, table)
    return undefined
  },
}
