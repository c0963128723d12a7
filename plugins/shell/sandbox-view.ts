import { lstat, readdir, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isWithin } from '#kernel'
import type { ToolContext } from '#plugin-api'

/** The folders of the system that every program sees, read-only, as far as they exist. */
const SYSTEM = [
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

/** Folders that each program has for itself, empty when it starts. */
const OWN = ['/run', '/sys', '/tmp', '/var/tmp']

/** Switches of the whole machine, which root may write without any capability. */
const MACHINE = ['/proc/acpi', '/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger']

const RESOLVER = '/etc/resolv.conf'

/** The places that a program may write, as real paths: these folders, and the area that its agent may write to. */
export interface Writable {
  folders: readonly string[]
  area: ToolContext['write_area']
}

/** Makes the arguments with which bubblewrap shows a program what it may see. */
export type SandboxView = (writable: Writable) => Promise<string[]>

/**
 * Looks at the system once. Of two folders the deeper one decides: what is below a hidden folder is visible where it is
 * named, and a wide area does not make the system writable.
 */
export async function createSandboxView({
  home,
  folders,
}: {
  /** The server's own folder, which is hidden. */
  home: string
  /** More folders that may be read. */
  folders: readonly string[]
}): Promise<SandboxView> {
  const isRoot = process.getuid?.() === 0
  const hidden = await realpath(home)
  const links: string[] = []
  const base = new Map<string, string[]>()
  for (const path of SYSTEM) {
    const found = await unlessMissing(lstat(path))
    if (found?.isSymbolicLink()) links.push('--symlink', await readlink(path), path)
    else if (found) base.set(path, ['--ro-bind', path, path])
  }
  for (const path of [...OWN, hidden]) base.set(path, ['--tmpfs', path])
  base.set('/dev', ['--dev', '/dev']).set('/proc', ['--proc', '/proc'])
  for (const named of [...(isRoot ? MACHINE : []), RESOLVER, ...nodePaths(), ...folders]) {
    // Where a link leads there, it is seen only if it lies in what is seen as well.
    const path = await unlessMissing(realpath(named))
    if (path !== undefined) base.set(path, ['--ro-bind', path, path])
  }

  return async (writable) => {
    const mounts = new Map(base)
    for (const { path, isFolder } of isRoot ? await listPrivate('/etc') : [])
      mounts.set(path, isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path])
    const area = writable.area && (await unlessMissing(realpath(writable.area.root)))
    if (area && !isWithin(hidden, area)) mounts.set(area, ['--bind', area, area])
    for (const path of writable.folders) mounts.set(path, ['--bind', path, path])
    // A folder comes before what lies in it, as its name is the beginning of theirs.
    const ordered = [...mounts].sort(([one], [other]) => (one < other ? -1 : 1)).flatMap(([, args]) => args)
    const args = [...ordered, '--remount-ro', hidden]
    return mounts.has('/') ? args : [...links, ...args, '--remount-ro', '/']
  }
}

/** The running node with what was installed beside it, such as npm. */
function nodePaths(): string[] {
  const folder = dirname(process.execPath)
  // Elsewhere there may be anything beside it.
  if (basename(folder) !== 'bin') return [process.execPath]
  return [folder, join(dirname(folder), 'lib', 'node_modules')]
}

/** Lists what not everybody may read in a folder, such as passwords and keys, which root may without any capability. */
async function listPrivate(folder: string): Promise<{ path: string; isFolder: boolean }[]> {
  const entries = (await unlessMissing(readdir(folder, { withFileTypes: true }))) ?? []
  const listed = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name)
      const isFolder = entry.isDirectory()
      const found = isFolder || entry.isFile() ? await unlessMissing(lstat(path)) : undefined
      if (!found) return []
      if ((found.mode & 0o004) === 0) return [{ path, isFolder }]
      return isFolder ? listPrivate(path) : []
    }),
  )
  return listed.flat()
}

async function unlessMissing<Value>(look: Promise<Value>): Promise<Value | undefined> {
  try {
    return await look
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
