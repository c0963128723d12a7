import type { Dirent } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, type LimitName } from '#kernel'
import { FileFailure, ignoring } from './files/file-failure.ts'
import type { Growth } from './files/file-replacement.ts'
import type { Cradle } from './manifest.ts'

/** The room that workspaces have, and how much of it is taken. */
export interface WorkspaceRoom {
  /** Bytes that an account's workspaces take. */
  usedBy(owner_id: string): Promise<number>
  /** Lets writes grow an agent's workspace; throws LIMIT_REACHED where the workspace or its owner's account is full. */
  growthOf(agent_id: string): Growth
  /** The same for tools, whose refusal is a sentence; places outside of workspaces have no bounds. */
  growthForTools(agent_id: string, place?: { is_outside: boolean }): Growth
  /** Has a workspace measured again at the next use, as it has become smaller. */
  outdate(agent_id: string): void
  /** Drops what is known of an agent's workspace. */
  forget(agent_id: string): void
}

/**
 * How long a size is trusted, as programs write without telling: so many milliseconds, or times that measuring took,
 * whichever is more. Where it would refuse a write it is trusted less.
 */
const TRUST = { ms: 60_000, measures: 100 }
const DOUBT = { ms: 1_000, measures: 10 }

/** Older than any trust. */
const LONG_AGO = -1e12

/** The known size of one workspace. */
interface Size {
  bytes: number
  /** Of writes that are under way. */
  pending: number
  measured_at: number
  took_ms: number
  measuring?: Promise<void>
}

/** Makes the service. */
export function createWorkspaceRoom({
  agents,
  limits,
}: {
  agents: Pick<Cradle['agents'], 'find' | 'listIdsOf' | 'workspaceOf'>
  limits: Pick<Cradle['limits'], 'of'>
}): WorkspaceRoom {
  const sizes = new Map<string, Size>()

  const measure = (agent_id: string, size: Size): Promise<void> => {
    size.measuring ??= (async () => {
      const begun = performance.now()
      size.bytes = (await bytesIn(agents.workspaceOf(agent_id))) + size.pending
      size.measured_at = performance.now()
      size.took_ms = size.measured_at - begun
    })().finally(() => {
      size.measuring = undefined
    })
    return size.measuring
  }

  /** What is known of a workspace; what is old is measured again, before it is used if it is `doubted`. */
  const sizeOf = async (agent_id: string, doubted = false): Promise<Size> => {
    const known = sizes.get(agent_id)
    const size = known ?? { bytes: 0, pending: 0, measured_at: -Infinity, took_ms: 0 }
    sizes.set(agent_id, size)
    const age = performance.now() - size.measured_at
    const isOlder = ({ ms, measures }: typeof TRUST) => age > Math.max(ms, measures * size.took_ms)
    if (age === Infinity || (doubted && isOlder(DOUBT))) await measure(agent_id, size)
    // What cannot be read is told by who reads it for a purpose.
    else if (isOlder(TRUST)) measure(agent_id, size).catch(() => undefined)
    return size
  }

  const usedBy = async (owner_id: string, doubted?: boolean): Promise<number> => {
    let used = 0
    for (const id of await agents.listIdsOf(owner_id)) used += (await sizeOf(id, doubted)).bytes
    return used
  }

  /** The limit that an agent's files are past, if they are. */
  const findPassed = async (agent_id: string, doubted?: boolean): Promise<LimitName | undefined> => {
    if ((await sizeOf(agent_id, doubted)).bytes > limits.of('workspace_bytes')) return 'workspace_bytes'
    const agent = await agents.find(agent_id)
    const used = agent ? await usedBy(agent.owner_id, doubted) : 0
    return used > limits.of('account_bytes') ? 'account_bytes' : undefined
  }

  const assertRoom = async (agent_id: string) => {
    if (!(await findPassed(agent_id))) return
    const limit = await findPassed(agent_id, true)
    if (limit) throw new AppError('LIMIT_REACHED', { limit, max: limits.of(limit) })
  }

  const growthOf =
    (agent_id: string): Growth =>
    async (bytes, write) => {
      const size = await sizeOf(agent_id)
      // Counted before it is looked whether there is room, so that parallel writes do not take the same room.
      size.bytes += bytes
      size.pending += bytes
      try {
        if (bytes > 0) await assertRoom(agent_id)
        return await write()
      } catch (error) {
        size.bytes -= bytes
        throw error
      } finally {
        size.pending -= bytes
      }
    }

  return {
    usedBy: (owner_id) => usedBy(owner_id),
    growthOf,
    growthForTools(agent_id, place) {
      if (place?.is_outside) return (_, write) => write()
      const grow = growthOf(agent_id)
      return (bytes, write) => grow(bytes, write).catch(explainFull)
    },
    outdate(agent_id) {
      const size = sizes.get(agent_id)
      if (size) size.measured_at = LONG_AGO
    },
    forget: (agent_id) => void sizes.delete(agent_id),
  }
}

function explainFull(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'LIMIT_REACHED') throw error
  const { limit, max } = error.details
  const whose = limit === 'workspace_bytes' ? 'the workspace' : "the workspaces of the agent's owner"
  throw new FileFailure(`there is no room: ${whose} may hold at most ${max} bytes; delete files first`)
}

/** The number of files that are read at once. */
const AT_ONCE = 32

/** The bytes of all files below a folder; links are not followed, and what goes meanwhile does not count. */
async function bytesIn(top: string): Promise<number> {
  const folders = [top]
  let bytes = 0
  const add = async (batch: Dirent[]) => {
    const found = await Promise.all(
      batch.map(({ parentPath, name }) => ignoring(PASSING, lstat(join(parentPath, name)))),
    )
    for (const stats of found) bytes += stats?.size ?? 0
  }
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    const folder = await ignoring(PASSING, opendir(path))
    if (!folder) continue
    const batch: Dirent[] = []
    for await (const entry of folder) {
      if (entry.isDirectory()) folders.push(join(path, entry.name))
      else if (batch.push(entry) >= AT_ONCE) await add(batch.splice(0))
    }
    await add(batch)
  }
  return bytes
}

const PASSING = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ENAMETOOLONG']
