import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { unlessMissing } from '#plugin-api'

/** The tasks beyond the limit that the kernel permits: the excess is seen, and the program killed. */
const MARGIN = 8
/** The attempts to remove a group, and the time between them in milliseconds. */
const MAX_ATTEMPTS = 20
const PAUSE_MS = 50

/** The names of groups, with the pid of their server. */
const NAME = /^svc-program-(\d+)-/

/** Groups of the kernel that limit the tasks of a program. */
export type TaskGroups = Awaited<ReturnType<typeof createTaskGroups>>

/**
 * Finds a control group below which this process may create groups that limit tasks. Resolves with undefined if there is
 * none, and for all users but root: the limit of processes of a user, which prlimit sets, does not hold for root.
 */
export async function createTaskGroups() {
  if (process.getuid?.() !== 0) return undefined
  const create = async (parent: string, tasks: number): Promise<string> => {
    // Version 1 has no such file.
    const control = join(parent, 'cgroup.subtree_control')
    if (existsSync(control)) await writeFile(control, '+pids')
    const path = join(parent, `svc-program-${process.pid}-${randomUUID()}`)
    await mkdir(path)
    try {
      await writeFile(join(path, 'pids.max'), String(tasks + MARGIN))
      return path
    } catch (error) {
      await rmdir(path)
      throw error
    }
  }
  const parent = await findParent(async (path) => rmdir(await create(path, MARGIN)))
  if (parent === undefined) return undefined
  await removeOldGroups(parent)

  return {
    /** Moves a process and its children to a new group, with all that they start; returns the function that removes it. */
    async limit(pid: number, tasks: number): Promise<() => Promise<void>> {
      const path = await create(parent, tasks)
      const remove = () => removeGroup(path)
      try {
        const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
        for (const member of [String(pid), ...children.trim().split(' ')])
          await writeFile(join(path, 'cgroup.procs'), member)
        return remove
      } catch (error) {
        await remove()
        throw error
      }
    },
  }
}

/** Removes a group whose processes are ending; what stays nevertheless is removed at a later start. */
async function removeGroup(path: string): Promise<void> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1)
    try {
      return await rmdir(path)
    } catch {
      await pause(PAUSE_MS)
    }
}

/** Removes the groups of servers that were killed. */
async function removeOldGroups(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const server = NAME.exec(name)?.[1]
    if (server !== undefined && !existsSync(`/proc/${server}`))
      await rmdir(join(parent, name)).catch(() => undefined)
  }
}

/** Returns the first group, of those around this process, below which a trial succeeds. */
async function findParent(attempt: (path: string) => Promise<void>): Promise<string | undefined> {
  for (const path of await listOwnGroups())
    try {
      await attempt(path)
      return path
    } catch {
      // The next one may work.
    }
  return undefined
}

/** Lists the groups around this process in the hierarchy with the controller of tasks, the inner one first. */
async function listOwnGroups(): Promise<string[]> {
  const [mounts = '', groups = ''] = await Promise.all(
    ['mountinfo', 'cgroup'].map((name) => unlessMissing(readFile(join('/proc/self', name), 'utf8'))),
  )
  const find = (type: RegExp, group: RegExp) => {
    const mount = mounts.split('\n').find((line) => type.test(line))
    const path = group.exec(groups)?.[1]
    const [, , , root, point] = mount?.split(' ') ?? []
    // In a container the mount shows a part of the hierarchy.
    return point && path !== undefined ? join(point, root === '/' ? path : '/') : undefined
  }
  const first = find(/ - cgroup \S+ \S*\bpids\b/, /^\d+:[^:]*\bpids\b[^:]*:(.*)$/m)
  const second = find(/ - cgroup2 /, /^0::(.*)$/m)
  return [
    ...(first ? [first] : []),
    // A group of version 2 with processes has no groups below it that limit something.
    ...(second ? [second, dirname(second)] : []),
  ]
}
