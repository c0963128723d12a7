import {
  type Blueprint,
  BUILT_IN,
  type Command,
  extensionsOf,
  JSON_OPTION,
  printJson,
  printTable,
  readBlueprint,
  readServerNote,
} from '#plugin-api'
import { listPlugins, type PluginRow } from './plugin-rows.ts'

/** `svc plugin list`: what is there, what it brings, and who adds what to which extension point. */
const listCommand: Command<unknown> = {
  name: 'plugin list',
  summary: 'List plugins, what they provide, and why some are left out',
  options: [JSON_OPTION],
  database: false,
  async run({ home, env, options, stdout }) {
    const blueprint = await readBlueprint({ home, env })
    const rows = listPlugins(blueprint, readServerNote(home))
    if (options.json) {
      printJson(stdout, rows)
      return 0
    }
    const plugins = rows.filter(({ name, source }) => !isBuiltInEntry(blueprint, name, source))
    printTable(stdout, [
      ['name', 'version', 'source', 'status', 'provides, or why it does not load'],
      ...plugins.map((row) => [row.name, row.version, row.source, row.status, row.error ?? bringsOf(row)]),
    ])
    stdout.write('\n')
    printTable(stdout, [
      ['extension point', 'entries'],
      ...[...extensionsOf(blueprint)].map(([point, { names }]) => [point, names().join(', ') || '-']),
    ])
    return 0
  },
}

/** `svc plugin list`, and `svc plugins`, which is the same. */
export const listCommands: Command<unknown>[] = [listCommand, { ...listCommand, name: 'plugins' }]

/** The folders that come with the server are many, and named among the entries anyway. */
const isBuiltInEntry = ({ entries }: Blueprint, name: string, source: string) =>
  entries.some((entry) => entry.name === name && entry.source === source && source === BUILT_IN)

const bringsOf = ({ provides, extends: added, declares }: PluginRow) =>
  Object.entries({ services: provides, ...declares, extensions: added })
    .filter(([, list]) => list.length > 0)
    .map(([kind, list]) => `${list.length} ${list.length === 1 ? kind.replace(/s$/, '') : kind}`)
    .join(', ')
