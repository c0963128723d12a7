import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import {
  type Blueprint,
  type Command,
  JSON_OPTION,
  locate,
  printJson,
  printTable,
  readBlueprint,
} from '#plugin-api'
import { listPlugins, type PluginRow } from './plugin-rows.ts'
import { toTable } from './row-table.ts'
import { findStartFault } from './start-check.ts'

/**
 * `svc plugin check`: loads a folder as the server does at its start, and shows what it brings or its error. With
 * `--start` it also starts and stops a server with it.
 */
export const checkCommand: Command<unknown> = {
  name: 'plugin check',
  summary: 'Load the folder of a plugin or kind, and show what it provides or what is wrong with it',
  arguments: [{ name: 'folder', summary: 'the folder with its package.json (default: current folder)' }],
  options: [
    { flags: '--start', summary: 'also run start, ready and stop, in a server with an empty database' },
    JSON_OPTION,
  ],
  database: false,
  async run({ args: [folder = '.'], options, stdout, stderr }) {
    const row = await checkFolder(resolve(folder), { starts: options.start === true })
    if (options.json) printJson(stdout, row)
    else if (row.error !== null) stderr.write(`svc: ${row.name}: ${row.error}\n`)
    else {
      stdout.write(`${row.name} ${row.version} loads. It provides:\n\n`)
      printTable(stdout, toTable(row))
      for (const note of notesOn(row, resolve(folder), options.start === true)) stdout.write(`\n${note}\n`)
    }
    return row.error === null ? 0 : 1
  },
}

/** Returns sentences about behaviour that may surprise the author. */
const notesOn = ({ name }: PluginRow, folder: string, isStarted: boolean): string[] => [
  ...(name === basename(folder)
    ? []
    : [`Its settings are at plugins.${name}: its name, not its folder "${basename(folder)}".`]),
  isStarted
    ? 'A server started and stopped with it.'
    : 'Its start and ready hooks were not run: --start runs them.',
]

/**
 * Loads a folder together with the built-in plugins, in a temporary home, and returns its row of `svc plugins`. Plugins
 * of third parties that it depends on are loaded from the folders with their names beside it.
 */
async function checkFolder(folder: string, { starts }: { starts: boolean }): Promise<PluginRow> {
  const home = mkdtempSync(join(tmpdir(), 'svc-check-'))
  const started = async (row: PluginRow, parent: string, beside: readonly string[] = []) => {
    if (!starts || row.error !== null) return row
    const error = await findStartFault({ name: row.name, folder, parent, beside })
    return error === undefined ? row : { ...row, status: 'failed' as const, error }
  }
  try {
    const { blueprint: asPlugin, beside } = await readWithDependencies(home, folder)
    const failed = findRow(asPlugin, folder)
    if (failed.error === null || !(await isEntry(folder))) return await started(failed, 'plugins', beside)
    const points = [...asPlugin.points].filter(([, point]) => point.folder !== undefined)
    const likely = points.filter(([, point]) => point.folder === basename(dirname(folder)))
    const rows = []
    for (const [point, { folder: parent = '' }] of likely.length > 0 ? likely : points) {
      const row = findRow(await readBlueprint({ home, env: {}, trial: { folder, point } }), folder)
      rows.push(await started(row, parent))
    }
    const fitting = rows.find(({ error }) => error === null) ?? (likely.length > 0 ? rows[0] : undefined)
    const hint = `if it is not a plugin, name its extension point in package.json: "svc": { "extends": "${points.map(([name]) => name).join('" or "')}" }`
    return fitting ?? { ...failed, error: `${failed.error}; ${hint}` }
  } finally {
    rmSync(home, { recursive: true })
  }
}

async function readWithDependencies(
  home: string,
  folder: string,
): Promise<{ blueprint: Blueprint; beside: string[] }> {
  const beside = new Set<string>()
  for (;;) {
    const blueprint = await readBlueprint({ home, env: {}, trial: { folder, beside: [...beside] } })
    const rows = listPlugins(blueprint)
    const missing = rows
      .flatMap(({ depends }) => depends)
      .filter((name) => !rows.some((row) => row.name === name))
      .map((name) => join(dirname(folder), name))
      .filter((neighbour) => !beside.has(neighbour) && existsSync(neighbour))
    if (missing.length === 0) return { blueprint, beside: [...beside] }
    for (const neighbour of missing) beside.add(neighbour)
  }
}

const findRow = (blueprint: Blueprint, folder: string) =>
  listPlugins(blueprint).find(({ source }) => source === folder)!

/** True if a folder exports something other than a plugin and does not name its extension point. */
async function isEntry(folder: string): Promise<boolean> {
  try {
    const { load, extends: point } = locate(folder, basename(folder))
    const candidate = await load()
    return (
      point === undefined && typeof candidate === 'object' && candidate !== null && !('setup' in candidate)
    )
  } catch {
    return false
  }
}
