import { existsSync, readFileSync } from 'node:fs'
import { cp, lstat, mkdir, realpath, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Blueprint, linkServer, OWN_PACKAGE } from '#plugin-api'
import { readConfigFile } from '#plugin-api/operation'
import { assertLoaded, type InstallContext } from './install-package.ts'
import { InstallFailure } from './npm.ts'
import type { PluginRow } from './plugin-rows.ts'
import { tryStart } from './trial.ts'

/**
 * Links a folder into the home, or copies it there, after it was loaded on trial; returns what it brings, and its path
 * there. Throws `InstallFailure`.
 */
export async function installFolder(
  folder: string,
  { points, copies, ...context }: InstallContext & { points: Blueprint['points']; copies: boolean },
): Promise<{ row: PluginRow; target: string }> {
  const { home } = context
  const source = await realpath(folder)
  const target = join(home, parentOf(source, points), basename(source))
  if (existsSync(target) || (await isLink(target)))
    throw new InstallFailure(`${target} exists already: remove it first, or rename the folder`)
  const row = await loadOnTrial(source, context)
  await mkdir(join(target, '..'), { recursive: true })
  if (copies) {
    await cp(source, target, { recursive: true, verbatimSymlinks: true }).catch(async (error) => {
      await rm(target, { recursive: true, force: true })
      throw error
    })
    linkServer(home)
  } else await symlink(source, target, 'junction')
  return { row, target }
}

async function loadOnTrial(folder: string, { home, env, signal }: InstallContext): Promise<PluginRow> {
  const file = readConfigFile(home)
  const load = async () => {
    const { rows, error } = await tryStart({ home, file, folder }, { env, signal })
    return assertLoaded(
      rows?.find(({ source }) => source === folder),
      error,
      basename(folder),
    )
  }
  try {
    return await load()
  } catch (error) {
    if (!(error as Error).message.includes(`Cannot find package '${OWN_PACKAGE.name}'`)) throw error
    // Code outside the home finds the server only through a link of its own.
    linkServer(folder)
    return await load()
  }
}

/** The folder of the home for a plugin, or for the kind that its package.json says it is. */
function parentOf(folder: string, points: Blueprint['points']): string {
  const manifest = join(folder, 'package.json')
  const point = existsSync(manifest) ? readExtends(manifest) : undefined
  if (point === undefined) return 'plugins'
  const parent = points.get(point)?.folder
  if (parent === undefined)
    throw new InstallFailure(`${manifest} extends "${point}", which is not a kind of folder`)
  return parent
}

function readExtends(manifest: string): string | undefined {
  try {
    return JSON.parse(readFileSync(manifest, 'utf8')).svc?.extends
  } catch (error) {
    throw new InstallFailure(`${manifest} is not valid JSON: ${(error as Error).message}`, { cause: error })
  }
}

const isLink = (path: string) =>
  lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  )
