import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { explainUnwritable, linkServer } from '#plugin-api'
import { readConfigFile } from '#plugin-api/operation'
import { packagesOf, withPackages, writeConfigFile } from './config-file.ts'
import { InstallFailure, runNpm } from './npm.ts'
import type { PluginRow } from './plugin-rows.ts'
import { tryStart } from './trial.ts'

/** A change of what is installed in a home. */
export interface InstallContext {
  home: string
  env: NodeJS.ProcessEnv
  signal?: AbortSignal
}

/**
 * Installs a package of npm, or a tarball, and adds it to `config.json`; returns what it brings. It is first installed
 * elsewhere and loaded on trial, so that a failure leaves the home as it was. Throws `InstallFailure`.
 */
export async function installPackage(spec: string, context: InstallContext): Promise<PluginRow> {
  const { home } = context
  const isTarball = existsSync(spec)
  const staging = await mkdtemp(join(home, '.adding-')).catch((error) => {
    throw new InstallFailure(explainUnwritable(error, home) ?? `${home} cannot be written`, { cause: error })
  })
  const npm = { ...context, cache: join(staging, 'cache') }
  try {
    await writeFile(join(staging, 'package.json'), '{ "private": true }')
    await runNpm('install', spec, { ...npm, folder: staging })
    const { name, version, folder } = readStaged(staging)
    linkServer(home)
    const row = await loadOnTrial(folder, name, context)
    const tarball = isTarball ? await keepTarball(spec, tarballIn(home, name, version)) : undefined
    await runNpm('install', tarball ?? `${name}@${version}`, { ...npm, folder: home })
    // npm removes the link, which no package asks for.
    linkServer(home)
    const file = readConfigFile(home)
    await writeConfigFile(home, withPackages(file, [...new Set([...packagesOf(file), name])]))
    return { ...row, source: name }
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** The package that npm has installed in a folder of its own. */
function readStaged(staging: string): { name: string; version: string; folder: string } {
  const { dependencies = {} } = JSON.parse(readFileSync(join(staging, 'package.json'), 'utf8'))
  const [name] = Object.keys(dependencies)
  if (name === undefined) throw new InstallFailure('npm has installed nothing')
  const folder = join(staging, 'node_modules', name)
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return { name, version, folder }
}

async function loadOnTrial(
  folder: string,
  name: string,
  { home, env, signal }: InstallContext,
): Promise<PluginRow> {
  const file = readConfigFile(home)
  const others = packagesOf(file).filter((other) => other !== name)
  const { rows, error } = await tryStart({ home, file: withPackages(file, others), folder }, { env, signal })
  return assertLoaded(
    rows?.find(({ source }) => source === folder),
    error,
    name,
  )
}

/** Returns the row of a folder that loads. Throws `InstallFailure` with the reason if it does not. */
export function assertLoaded(row: PluginRow | undefined, error: string | undefined, name: string): PluginRow {
  if (row === undefined) throw new InstallFailure(`${name}: ${error ?? 'it is switched off'}`)
  if (row.status === 'failed') throw new InstallFailure(`${name}: ${row.error}`)
  return row
}

/** The file of the home that keeps the tarball of a package. */
export const tarballIn = (home: string, name: string, version: string): string =>
  join(home, 'packages', `${name.replaceAll('/', '-')}-${version}.tgz`)

/** Keeps a tarball in the home, where npm looks for it whenever it installs something else. */
async function keepTarball(file: string, target: string): Promise<string> {
  await mkdir(dirname(target), { recursive: true })
  if (file !== target) await copyFile(file, target)
  return target
}
