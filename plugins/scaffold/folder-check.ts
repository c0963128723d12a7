import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type Blueprint, listPlugins, locate, type PluginRow, readBlueprint } from '#kernel'

/**
 * Loads a folder beside what comes with the server, in a home of its own, and returns its row of `svc plugins`. Plugins
 * of third parties that it depends on are loaded from the folders of those names beside it.
 */
export async function checkFolder(folder: string): Promise<PluginRow> {
  const home = mkdtempSync(join(tmpdir(), 'svc-check-'))
  try {
    const asPlugin = await readWithDependencies(home, folder)
    const failed = rowOf(asPlugin, folder)
    if (failed.error === null || !(await isEntry(folder))) return failed
    const points = [...asPlugin.points].filter(([, point]) => point.folder !== undefined)
    const named = points.filter(([, point]) => point.folder === basename(dirname(folder)))
    const rows = []
    for (const [point] of named.length > 0 ? named : points)
      rows.push(rowOf(await readBlueprint({ home, env: {}, trial: { folder, point } }), folder))
    const fitting = rows.find(({ error }) => error === null) ?? (named.length > 0 ? rows[0] : undefined)
    const hint = `if it is not a plugin, name in its package.json what it is: "svc": { "extends": "${points.map(([name]) => name).join('" or "')}" }`
    return fitting ?? { ...failed, error: `${failed.error}; ${hint}` }
  } finally {
    rmSync(home, { recursive: true })
  }
}

async function readWithDependencies(home: string, folder: string): Promise<Blueprint> {
  const beside = new Set<string>()
  for (;;) {
    const blueprint = await readBlueprint({ home, env: {}, trial: { folder, beside: [...beside] } })
    const rows = listPlugins(blueprint)
    const missing = rows
      .flatMap(({ depends }) => depends)
      .filter((wanted) => !rows.some(({ name }) => name === wanted))
      .map((wanted) => join(dirname(folder), wanted))
      .filter((neighbour) => !beside.has(neighbour) && existsSync(neighbour))
    if (missing.length === 0) return blueprint
    for (const neighbour of missing) beside.add(neighbour)
  }
}

const rowOf = (blueprint: Blueprint, folder: string) =>
  listPlugins(blueprint).find(({ source }) => source === folder)!

/** True for a folder that exports something else than a plugin, and does not say to which extension point it belongs. */
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
