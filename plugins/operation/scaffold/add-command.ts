import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, ConfigError, JSON_OPTION, printJson, printTable, readServerNote } from '#plugin-api'
import { installFolder } from './install-folder.ts'
import { installPackage } from './install-package.ts'
import { InstallFailure } from './npm.ts'
import type { ListParts } from './plugin-list.ts'
import type { PluginRow } from './plugin-rows.ts'
import { toTable } from './row-table.ts'

const PACKAGE = /^(@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*(@[\w.^~<>=+-]+)?$/

/** `svc plugin add`: installs a package, a tarball or a folder, after it was loaded on trial. */
export const addCommand: Command<ListParts> = {
  name: 'plugin add',
  summary: 'Add a plugin or kind: a package of npm, a .tgz file, or a folder, which is linked',
  arguments: [
    { name: 'source', summary: 'name[@version] of a package, a .tgz file, or a folder', required: true },
  ],
  options: [{ flags: '--copy', summary: 'copy the folder instead of linking it' }, JSON_OPTION],
  audit: 'plugin.install',
  async run({ args, options, home, env, stdout }, { blueprint }) {
    const { row, origin } = await add(args[0]!, { home, env, copies: options.copy === true, blueprint })
    if (options.json) printJson(stdout, row)
    else {
      stdout.write(`Added ${row.name} ${row.version} (${origin}). It provides:\n\n`)
      printTable(stdout, toTable(row))
      stdout.write(`\n${describeNext(home)}\n`)
    }
    return undefined
  },
}

/** The sentence that says what is left to do. */
export const describeNext = (home: string): string =>
  readServerNote(home)
    ? 'The server runs on with what it had: "svc restart" restarts it.'
    : 'It runs from the next start on.'

interface Options extends ListParts {
  copies: boolean
}

async function add(
  source: string,
  {
    home,
    env,
    copies,
    blueprint,
  }: { home: string; env: NodeJS.ProcessEnv } & Pick<Options, 'copies' | 'blueprint'>,
): Promise<{ row: PluginRow; origin: string }> {
  const path = resolve(source)
  try {
    if (existsSync(path) && statSync(path).isDirectory() && !isPackageName(source, path)) {
      const { row, target } = await installFolder(path, { home, env, copies, points: blueprint().points })
      return { row: { ...row, source: target }, origin: `${target}${copies ? '' : ` -> ${path}`}` }
    }
    const isFile = existsSync(path) && /\.(tgz|tar\.gz)$/.test(path)
    if (!isFile && !PACKAGE.test(source))
      throw new InstallFailure(
        existsSync(path)
          ? `${path} is neither a folder nor a .tgz file`
          : `"${source}" is not the name of a package, and ${path} does not exist`,
      )
    const row = await installPackage(isFile ? path : source, { home, env })
    return { row, origin: row.source }
  } catch (error) {
    if (error instanceof InstallFailure) throw new ConfigError(`Nothing was changed: ${error.message}`)
    throw error
  }
}

/** True for a bare name that happens to be a folder without a plugin, too. */
const isPackageName = (source: string, path: string) =>
  !/[\\/.]/.test(source[0]!) &&
  !source.endsWith('/') &&
  !existsSync(`${path}/package.json`) &&
  !existsSync(`${path}/index.js`)
