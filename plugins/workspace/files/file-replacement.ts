import { randomUUID } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenFolder } from '#kernel'
import { FileFailure, ignoring, quote } from './file-failure.ts'
import { openFileIn, openFolder, type Place, splitPlace } from './workspace-path.ts'

const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

/** The largest file that is written or changed, in bytes. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024

/** Runs a write that makes a file larger by so many bytes, if there is room for them; throws where there is not. */
export type Growth = <Result>(bytes: number, write: () => Promise<Result>) => Promise<Result>

/** The last replacement of each file that one is under way for, so that none is based on what is just changing. */
const pending = new Map<string, Promise<unknown>>()

/**
 * Gives the file at a place new content in one step: whoever reads it sees the old one or the new one. It keeps its
 * mode and owner. Hard links, links and all but regular files are refused.
 */
export function createFile(
  place: Place,
  bytes: Buffer,
  { grow, signal }: { grow: Growth; signal: AbortSignal },
): Promise<void> {
  return inTurn(place, () =>
    inFolder(place, { create: true }, async (folder, name) => {
      const before = await lookAt(folder, name)
      await grow(bytes.length - sizeOf(before), () => replace(folder, name, { bytes, before, signal }))
    }),
  )
}

/** The same for a file that exists; `change` makes the new content of it, and nothing else may have changed it since. */
export function changeFile(
  place: Place,
  change: (current: Buffer) => Buffer,
  { grow, signal }: { grow: Growth; signal: AbortSignal },
): Promise<void> {
  return inTurn(place, () =>
    inFolder(place, { create: false }, async (folder, name) => {
      const { file, stats: before } = await openFileIn(folder, name, O_RDWR)
      const bytes = await using(file, async () => {
        refuseSecondName(before, name)
        if (before.size > MAX_FILE_BYTES)
          throw new FileFailure(
            `${quote(name)} has ${before.size} bytes; at most ${MAX_FILE_BYTES} can be edited`,
          )
        return change(await file.readFile())
      })
      const write = () => replace(folder, name, { bytes, before, signal, onlyUnchanged: true })
      await grow(bytes.length - sizeOf(before), write)
    }),
  )
}

/**
 * The same with a file that lies elsewhere on the same disk and is moved to the place. `check` is told what is there
 * and may throw; with `only_new` it fails with EEXIST where another one has come meanwhile.
 */
export function adoptFile(
  place: Place,
  source: { path: string; size: number },
  { grow, check }: { grow: Growth; check: (before: BigIntStats | undefined) => { only_new: boolean } },
): Promise<{ stats: BigIntStats; is_new: boolean }> {
  return inTurn(place, () =>
    inFolder(place, { create: true }, async (folder, name) => {
      const before = await lookAt(folder, name)
      const { only_new } = check(before)
      const path = folder.entry(name)
      await grow(source.size - sizeOf(before), async () => {
        if (before) await giveAccess(source.path, before)
        if (!only_new) return rename(source.path, path)
        await link(source.path, path)
        await unlink(source.path)
      })
      return { stats: await lstat(path, { bigint: true }), is_new: !before }
    }),
  )
}

const sizeOf = (before: BigIntStats | undefined) => Number(before?.size ?? 0)

/** What a file is that may be replaced; undefined where there is none. */
async function lookAt(folder: OpenFolder, name: string): Promise<BigIntStats | undefined> {
  const current = await ignoring(['ENOENT'], openFileIn(folder, name, O_WRONLY))
  await current?.file.close()
  refuseSecondName(current?.stats, name)
  return current?.stats
}

/** Lets the replacements of one file follow each other. */
async function inTurn<Result>({ root, parts }: Place, work: () => Promise<Result>): Promise<Result> {
  const key = join(root, ...parts)
  const last = pending.get(key)
  const mine = (last ?? Promise.resolve()).then(work)
  const settled = mine.catch(() => {})
  pending.set(key, settled)
  try {
    return await mine
  } finally {
    if (pending.get(key) === settled) pending.delete(key)
  }
}

async function inFolder<Result>(
  place: Place,
  options: { create: boolean },
  work: (folder: OpenFolder, name: string) => Promise<Result>,
): Promise<Result> {
  const { parent, name } = splitPlace(place)
  const folder = await openFolder(parent, options)
  try {
    return await work(folder, name)
  } finally {
    await folder.close()
  }
}

async function using<Result>(file: FileHandle, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } finally {
    await file.close()
  }
}

function refuseSecondName(stats: BigIntStats | undefined, name: string): void {
  if (stats && stats.nlink > 1)
    throw new FileFailure(`${quote(name)} has a second name, perhaps outside the workspace`)
}

async function replace(
  folder: OpenFolder,
  name: string,
  {
    bytes,
    before,
    signal,
    onlyUnchanged = false,
  }: { bytes: Buffer; before: BigIntStats | undefined; signal: AbortSignal; onlyUnchanged?: boolean },
): Promise<void> {
  const temporary = folder.entry(`.svc-${randomUUID()}.tmp`)
  // Nobody else may read a file that is there for few until its mode is set.
  const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, before ? 0o600 : 0o666)
  try {
    await using(file, async () => {
      await file.writeFile(bytes)
      if (before) await keepAccess(file, before)
    })
    signal.throwIfAborted()
    if (
      onlyUnchanged &&
      !isSame(before, await ignoring(['ENOENT'], lstat(folder.entry(name), { bigint: true })))
    )
      throw new FileFailure(`${quote(name)} was changed by somebody else meanwhile; read it again`)
    await rename(temporary, folder.entry(name))
  } catch (error) {
    await ignoring(['ENOENT'], unlink(temporary))
    throw error
  }
}

async function giveAccess(path: string, before: BigIntStats): Promise<void> {
  const file = await open(path, O_WRONLY)
  await using(file, () => keepAccess(file, before))
}

/** Only the superuser may give files away; bits that lend the rights of the owner go, as with any write. */
async function keepAccess(file: FileHandle, { uid, gid, mode }: BigIntStats): Promise<void> {
  const mine = await file.stat({ bigint: true })
  if (mine.uid !== uid || mine.gid !== gid)
    await ignoring(['EPERM', 'EINVAL'], file.chown(Number(uid), Number(gid)))
  await file.chmod(Number(mode & 0o777n))
}

const isSame = (before: BigIntStats | undefined, now: BigIntStats | undefined) =>
  before?.dev === now?.dev &&
  before?.ino === now?.ino &&
  before?.size === now?.size &&
  before?.mtimeNs === now?.mtimeNs
