import { existsSync } from 'node:fs'
import { lstat, rm, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AppError, type Blueprint, BUILT_IN, isWithin, linkServer } from '#plugin-api'
import { readConfigFile } from '#plugin-api/operation'
import { type ConfigContent, packagesOf, withPackages, withSection, writeConfigFile } from './config-file.ts'
import { type InstallContext, tarballIn } from './install-package.ts'
import { InstallFailure, runNpm } from './npm.ts'
import type { AdminPlugin } from './plugin-list.ts'

/** Finds a plugin by its name, its package, its folder, or the name of its folder. */
export function findPlugin(rows: readonly AdminPlugin[], name: string): AdminPlugin | undefined {
  const tests: ((row: AdminPlugin) => boolean)[] = [
    (row) => row.name === name,
    ({ source }) => source === name,
    ({ source }) => source !== BUILT_IN && basename(source) === name,
  ]
  return tests.map((test) => rows.find(test)).find((row) => row !== undefined)
}

/**
 * Removes the package or folder of a plugin, and its settings; its data stays. Throws PLUGIN_BUILT_IN, PLUGIN_NEEDED and
 * `InstallFailure`.
 */
export async function removePlugin(
  { name, source, version, needed_by }: AdminPlugin,
  { blueprint, ...context }: InstallContext & { blueprint: Blueprint },
): Promise<void> {
  const { home } = context
  if (source === BUILT_IN) throw new AppError('PLUGIN_BUILT_IN', { name })
  if (needed_by.length > 0) throw new AppError('PLUGIN_NEEDED', { name, needed_by: needed_by.join(', ') })
  const isFolder = source.startsWith('/')
  if (isFolder) await assertRemovable(source, home)
  const file = readConfigFile(home)
  const limits = Object.keys(blueprint.manifests.get(name)?.limits ?? {})
  const content = withoutLimits(withSection(file, name, {}), limits)
  const packages = packagesOf(file).filter((other) => other !== source)
  if (JSON.stringify(content) !== JSON.stringify(file) || packages.length !== packagesOf(file).length)
    await writeConfigFile(home, withPackages(content, packages))
  if (isFolder) await removeFolder(source)
  else if (existsSync(join(home, 'node_modules', source))) {
    await runNpm('uninstall', source, { ...context, folder: home, cache: join(home, '.npm') })
    linkServer(home)
    await rm(tarballIn(home, source, version), { force: true })
  }
}

const isLink = async (path: string) => (await lstat(path)).isSymbolicLink()

async function assertRemovable(folder: string, home: string): Promise<void> {
  if (!isWithin(home, folder)) throw new InstallFailure(`${folder} is not in ${home}`)
  if (!(await isLink(folder)) && existsSync(join(folder, '.git')))
    throw new InstallFailure(`${folder} is a repository of git: move it away yourself`)
}

const removeFolder = async (folder: string) =>
  (await isLink(folder)) ? unlink(folder) : rm(folder, { recursive: true, force: true })

function withoutLimits(content: ConfigContent, names: readonly string[]): ConfigContent {
  const limits = Object.entries((content.limits ?? {}) as ConfigContent)
  if (!limits.some(([name]) => names.includes(name))) return content
  return { ...content, limits: Object.fromEntries(limits.filter(([name]) => !names.includes(name))) }
}
