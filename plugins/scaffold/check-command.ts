import { resolve } from 'node:path'
import { type Command, JSON_OPTION, type PluginRow, printJson, printTable } from '#kernel'
import { checkFolder } from './folder-check.ts'

/** `svc plugin check`: loads a folder as a start does, without one, and shows what it brings or what is wrong. */
export const checkCommand: Command<unknown> = {
  name: 'plugin check',
  summary: 'Load the folder of a plugin or kind alone, and show what it brings or what is wrong',
  arguments: [{ name: 'folder', summary: 'the folder with its package.json, . by default' }],
  options: [JSON_OPTION],
  database: false,
  async run({ args: [folder = '.'], options, stdout, stderr }) {
    const row = await checkFolder(resolve(folder))
    if (options.json) printJson(stdout, row)
    else if (row.error !== null) stderr.write(`svc: ${row.name}: ${row.error}\n`)
    else {
      stdout.write(`${row.name} ${row.version} loads. It brings:\n\n`)
      printTable(stdout, partsOf(row))
    }
    return row.error === null ? 0 : 1
  },
}

function partsOf({ provides, extends: added, points, declares }: PluginRow): string[][] {
  const lists = {
    services: provides,
    ...declares,
    'extension points': Object.keys(points),
    extensions: added.map(({ point, name }) => `${name} (${point})`),
  }
  const parts = Object.entries(lists).filter(([, list]) => list.length > 0)
  return parts.length > 0 ? parts.map(([title, list]) => [`  ${title}`, list.join(', ')]) : [['  nothing']]
}
