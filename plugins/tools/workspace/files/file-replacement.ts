import { randomUUID } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeyedQueue, type OpenFolder } from '#plugin-api'
import { FileFailure, ignoreCodes, quote } from './file-failure.ts'
import { assertBounded } from './path-bounds.ts'
import { inParent, openFileIn, type Place, using } from './workspace-path.ts'

const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

/** The largest file that is written or changed, in bytes. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024

/** Returns the bytes of a text. Throws a FileFailure if there are too many for a file. */
export function toBytes(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_FILE_BYTES) return bytes
  throw new FileFailure(`the content has ${bytes.length} bytes; at most ${MAX_FILE_BYTES} can be written`)
}

/** Runs a write that enlarges a file by a number of bytes; throws if there is no room for them. */
export type Growth = <Result>(bytes: number, write: () => Promise<Result>) => Promise<Result>

const replacements = createKeyedQueue()

/**
 * Replaces the content of the file at a place in one step: readers see the old content or the new one. Keeps mode and
 * owner. Refuses hard links, links and everything but regular files.
 */
export function createFile(
  location: Place,
  bytes: Buffer,
  { grow, signal }: { grow: Growth; signal: AbortSignal },
): Promise<void> {
  return replaceIn(location, { create: true }, async (folder, name) => {
    const current = await readReplaceable(folder, name)
    await grow(bytes.length - sizeOf(current), () => replace(folder, name, { bytes, current, signal }))
  })
}

/** Replaces an existing file by the result of `change`; fails if the file has changed since it was read. */
export function changeFile(
  location: Place,
  change: (current: Buffer) => Buffer,
  { grow, signal }: { grow: Growth; signal: AbortSignal },
): Promise<void> {
  return replaceIn(location, { create: false }, async (folder, name) => {
    const { file, stats: current } = await openFileIn(folder, name, O_RDWR)
    const bytes = await using(file, async () => {
      refuseSecondName(current, name)
      if (current.size > MAX_FILE_BYTES)
        throw new FileFailure(
          `${quote(name)} has ${current.size} bytes; at most ${MAX_FILE_BYTES} can be edited`,
        )
      return change(await file.readFile())
    })
    const write = () => replace(folder, name, { bytes, current, signal, onlyUnchanged: true })
    await grow(bytes.length - sizeOf(current), write)
  })
}

/**
 * Moves a file from elsewhere on the same disk to a place. `check` receives the existing file and may throw; with
 * `only_new`, fails with EEXIST if another file was created since `check`.
 */
export function adoptFile(
  location: Place,
  source: { path: string; size: number },
  { grow, check }: { grow: Growth; check: (current: BigIntStats | undefined) => { only_new: boolean } },
): Promise<{ stats: BigIntStats; is_new: boolean }> {
  return replaceIn(location, { create: true }, async (folder, name) => {
    const current = await readReplaceable(folder, name)
    const { only_new } = check(current)
    const path = folder.entry(name)
    await grow(source.size - sizeOf(current), async () => {
      if (current) await copyAccess(source.path, current)
      if (!only_new) return rename(source.path, path)
      await link(source.path, path)
      await unlink(source.path)
    })
    return { stats: await lstat(path, { bigint: true }), is_new: !current }
  })
}

const sizeOf = (current: BigIntStats | undefined) => Number(current?.size ?? 0)

/** Returns the stats of a file that may be replaced, or undefined if it does not exist. */
async function readReplaceable(folder: OpenFolder, name: string): Promise<BigIntStats | undefined> {
  const current = await ignoreCodes(['ENOENT'], openFileIn(folder, name, O_WRONLY))
  await current?.file.close()
  refuseSecondName(current?.stats, name)
  return current?.stats
}

/** Runs the replacements of one file one after the other. */
const replaceIn = <Result>(
  location: Place,
  options: { create: boolean },
  work: (folder: OpenFolder, name: string) => Promise<Result>,
): Promise<Result> =>
  replacements.run(join(location.root, ...location.parts), async () => {
    if (options.create) assertBounded(location.parts)
    return inParent(location, work, options)
  })

function refuseSecondName(stats: BigIntStats | undefined, name: string): void {
  if (stats && stats.nlink > 1)
    throw new FileFailure(`${quote(name)} has a second name (a hard link), perhaps outside the workspace`)
}

async function replace(
  folder: OpenFolder,
  name: string,
  {
    bytes,
    current,
    signal,
    onlyUnchanged = false,
  }: { bytes: Buffer; current: BigIntStats | undefined; signal: AbortSignal; onlyUnchanged?: boolean },
): Promise<void> {
  const temporary = folder.entry(`.svc-${randomUUID()}.tmp`)
  // A file with restricted access must not be readable by others before its mode is set.
  const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, current ? 0o600 : 0o666)
  try {
    await using(file, async () => {
      await file.writeFile(bytes)
      if (current) await keepAccess(file, current)
    })
    signal.throwIfAborted()
    if (
      onlyUnchanged &&
      !isSame(current, await ignoreCodes(['ENOENT'], lstat(folder.entry(name), { bigint: true })))
    )
      throw new FileFailure(`${quote(name)} was changed meanwhile; read it again`)
    await rename(temporary, folder.entry(name))
  } catch (error) {
    await ignoreCodes(['ENOENT'], unlink(temporary))
    throw error
  }
}

async function copyAccess(path: string, current: BigIntStats): Promise<void> {
  const file = await open(path, O_WRONLY)
  await using(file, () => keepAccess(file, current))
}

/** Only the superuser may change owners; setuid and setgid bits are dropped, as with any write. */
async function keepAccess(file: FileHandle, { uid, gid, mode }: BigIntStats): Promise<void> {
  const mine = await file.stat({ bigint: true })
  if (mine.uid !== uid || mine.gid !== gid)
    await ignoreCodes(['EPERM', 'EINVAL'], file.chown(Number(uid), Number(gid)))
  await file.chmod(Number(mode & 0o777n))
}

const isSame = (current: BigIntStats | undefined, now: BigIntStats | undefined) =>
  current?.dev === now?.dev &&
  current?.ino === now?.ino &&
  current?.size === now?.size &&
  current?.mtimeNs === now?.mtimeNs
