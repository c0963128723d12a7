import { constants } from 'node:fs'
import { access, lstat, readdir, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isWithin, type ToolContext, unlessMissing } from '#plugin-api'

/** The folders of the system that every program can read, if they exist. */
const SYSTEM_FOLDERS = [
  '/bin',
  '/etc',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
  '/opt',
  '/sbin',
  '/usr',
  '/var/cache/fontconfig',
  '/var/lib/texmf',
]

/** Folders of which each program has its own, empty at its start. */
export const OWN_FOLDERS = ['/dev/shm', '/run', '/sys', '/tmp', '/var/tmp'] as const
/** The folders in memory that a program cannot write. */
const READ_ONLY_FOLDERS = ['/dev', '/sys']

/** Settings of the whole machine, which root may write without any capability. */
const MACHINE_SETTINGS = [
  '/proc/acpi',
  '/proc/bus',
  '/proc/fs',
  '/proc/irq',
  '/proc/sys',
  '/proc/sysrq-trigger',
]

const RESOLVER = '/etc/resolv.conf'

/** The paths that a program may write: folders by their real paths, and the write area of its agent. */
export interface Writable {
  folders: readonly string[]
  area: ToolContext['write_area']
}

/**
 * Returns how a path appears to a program, without reading the disk: shown with its content, only as a way to a shown
 * path, or hidden.
 */
export type Look = (path: string) => 'shown' | 'way' | 'hidden'

/** Returns the arguments with which bubblewrap mounts what a program may see. */
export type SandboxView = (writable: Writable) => Promise<{ args: string[]; look: Look }>

/**
 * Creates the view from the current state of the system. Of two nested folders the inner one decides: a folder below a
 * hidden folder is visible if it is listed, and a wide write area does not make the system writable.
 */
export async function createSandboxView({
  home,
  folders,
  max_bytes,
}: {
  /** The server's own folder, which is hidden. */
  home: string
  /** The most bytes of each folder in memory. */
  max_bytes: number
  /** More folders that may be read. */
  folders: readonly string[]
}): Promise<SandboxView> {
  const isRoot = process.getuid?.() === 0
  const hidden = await realpath(home)
  const links: string[] = []
  const base = new Map<string, string[]>()
  for (const path of SYSTEM_FOLDERS) {
    const stats = await unlessMissing(lstat(path))
    if (stats?.isSymbolicLink()) links.push('--symlink', await readlink(path), path)
    else if (stats) base.set(path, ['--ro-bind', path, path])
  }
  for (const path of [...OWN_FOLDERS, hidden]) base.set(path, ['--tmpfs', path])
  base.set('/dev', ['--dev', '/dev']).set('/proc', ['--proc', '/proc'])
  for (const named of [...(isRoot ? MACHINE_SETTINGS : []), RESOLVER, ...listNodePaths(), ...folders]) {
    // A link to it is visible only if its own folder is visible.
    const path = await unlessMissing(realpath(named))
    if (path !== undefined) base.set(path, ['--ro-bind', path, path])
  }

  return async (writable) => {
    const mounts = new Map(base)
    for (const { path, isFolder } of await listPrivate('/etc'))
      mounts.set(path, isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path])
    const area = writable.area && (await unlessMissing(realpath(writable.area.root)))
    if (area && !isWithin(hidden, area)) mounts.set(area, ['--bind', area, area])
    for (const path of writable.folders) mounts.set(path, ['--bind', path, path])
    // Sorted, so that a folder is mounted before its content.
    const ordered = [...mounts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, args]) => args)
    const args = [
      ...ordered.flatMap((args) => (args[0] === '--tmpfs' ? ['--size', String(max_bytes), ...args] : args)),
      ...[hidden, ...READ_ONLY_FOLDERS].flatMap((path) => ['--remount-ro', path]),
    ]
    const look = createLook(mounts, mounts.has('/') ? [] : links)
    return { args: mounts.has('/') ? args : [...links, ...args, '--remount-ro', '/'], look }
  }
}

function createLook(mounts: ReadonlyMap<string, readonly string[]>, links: readonly string[]): Look {
  const isOwn = ([option, from, to]: readonly string[], isMountPoint: boolean) =>
    option === '--tmpfs' ? isMountPoint : to === undefined || from === to
  return (path) => {
    let ancestor = path
    while (ancestor !== '/' && !mounts.has(ancestor)) ancestor = dirname(ancestor)
    const mount = mounts.get(ancestor)
    if (mount ? isOwn(mount, ancestor === path) : links.includes(path)) return 'shown'
    return [...mounts.keys()].some((other) => other.startsWith(`${path}/`)) ? 'way' : 'hidden'
  }
}

/** Lists the running node and the modules installed with it, such as npm. */
function listNodePaths(): string[] {
  const folder = dirname(process.execPath)
  // A folder with another name may hold files that programs must not read.
  if (basename(folder) !== 'bin') return [process.execPath]
  return [folder, join(dirname(folder), 'lib', 'node_modules')]
}

/**
 * Lists the entries of a folder that the server's user may read but not everybody, such as passwords; root needs no
 * capability to read them.
 */
async function listPrivate(folder: string): Promise<{ path: string; isFolder: boolean }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unlessUnreadable)
  const listed = await Promise.all(
    (entries ?? []).map(async (entry) => {
      const path = join(folder, entry.name)
      const isFolder = entry.isDirectory()
      const stats = isFolder || entry.isFile() ? await lstat(path).catch(unlessUnreadable) : undefined
      if (!stats) return []
      if ((stats.mode & 0o004) === 0) return (await isReadable(path)) ? [{ path, isFolder }] : []
      return isFolder ? listPrivate(path) : []
    }),
  )
  return listed.flat()
}

const isReadable = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  )

/** Returns undefined for the error of a path that is missing or may not be read; throws any other error. */
function unlessUnreadable(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes(error.code!)) throw error
}
