import { readdirSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '#plugin-api'

/** The names of archives in a folder, which sort by time; `.partial` is one whose backup was killed. */
const NAME = /^svc-\d{4}-\d\d-\d\dT\d{6}Z\.tar(\.partial)?$/

/** True if a path is that of a folder. */
export const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Returns the name of an archive that is written at this time, in Unix milliseconds. */
export const toArchiveName = (now: number): string =>
  `svc-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '')}Z.tar`

/** Reads the option `--keep`; undefined if it is not set. Throws one sentence if it is no number or there is no folder. */
export function readKeep(
  option: string | boolean | undefined,
  folder: string | undefined,
): number | undefined {
  if (option === undefined) return undefined
  if (!/^[1-9]\d{0,5}$/.test(`${option}`)) throw new ConfigError('--keep must be a number from 1')
  if (!folder)
    throw new ConfigError('--keep needs a folder that exists, in which archives are named by their time')
  return Number(option)
}

/** Returns the path of the newest archive of a folder. */
export function newestIn(folder: string): string {
  const [newest] = listArchives(folder)
  if (!newest) throw new ConfigError(`the folder ${folder} has no archive named svc-<time>.tar`)
  return join(folder, newest)
}

/** Removes the archives of a folder except for the newest ones, and returns their number. */
export async function removeOlder(folder: string, keep: number): Promise<number> {
  const oldestKept = listArchives(folder)[keep - 1]
  if (!oldestKept) return 0
  const older = readdirSync(folder).filter((name) => NAME.test(name) && name < oldestKept)
  for (const name of older) await rm(join(folder, name), { force: true })
  return older.length
}

/** Lists the complete archives of a folder, the newest first. */
const listArchives = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => NAME.test(name) && name.endsWith('.tar'))
    .sort()
    .reverse()
