import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, type LimitName } from '#plugin-api'
import { FileFailure, ignoreCodes } from './files/file-failure.ts'
import type { Growth } from './files/file-replacement.ts'
import { measureTree } from './files/tree-size.ts'
import type { Cradle } from './manifest.ts'

/** The sizes of workspaces and the limits on their growth. */
export type WorkspaceRoom = ReturnType<typeof createWorkspaceRoom>

/**
 * The time for which a measured size is trusted, as programs write without notice: a number of milliseconds, or a
 * multiple of the time that measuring took, whichever is longer. A size that would refuse a write is trusted less.
 */
const TRUST = { ms: 60_000, measures: 100 }
const DOUBT = { ms: 1_000, measures: 10 }

/** Before any trusted time. */
const LONG_AGO = -1e12

/** The most sizes that are remembered, apart from those in use: agents that another server deletes are not reported. */
const MAX_SIZES = 50_000

/** The known size of one workspace. */
interface Size {
  bytes: number
  /** Bytes of writes in progress. */
  pending: number
  /** Bytes of all writes that have ended. */
  written: number
  measured_at: number
  took_ms: number
  measuring?: Promise<void>
}

/** Creates the service. */
export function createWorkspaceRoom({
  agents,
  limits,
  server,
}: {
  agents: Pick<Cradle['agents'], 'find' | 'listOf' | 'workspaceOf'>
  limits: Pick<Cradle['limits'], 'of'>
  server: Pick<Cradle['server'], 'home'>
}) {
  const sizes = new Map<string, Size>()

  const measure = (agent_id: string, size: Size): Promise<void> => {
    size.measuring ??= (async () => {
      const begun = performance.now()
      const earlier = size.written
      const measured = await measureFolder(agents.workspaceOf(agent_id))
      // A write that has ended meanwhile may have come behind the measurement.
      size.bytes = measured + size.pending + size.written - earlier
      size.measured_at = performance.now()
      size.took_ms = size.measured_at - begun
    })().finally(() => {
      size.measuring = undefined
    })
    return size.measuring
  }

  /** Drops the sizes that were learned first, which can be measured again. */
  const makeRoom = () => {
    for (const [agent_id, { pending, measuring }] of sizes) {
      if (sizes.size < MAX_SIZES) return
      if (pending === 0 && !measuring) sizes.delete(agent_id)
    }
  }

  /**
   * Returns the size of a workspace. Measures an old size again: before it is used if `doubted`, otherwise afterwards.
   */
  const readSize = async (agent_id: string, doubted = false): Promise<Size> => {
    const knownSize = sizes.get(agent_id)
    const size = knownSize ?? { bytes: 0, pending: 0, written: 0, measured_at: -Infinity, took_ms: 0 }
    if (!knownSize) makeRoom()
    sizes.set(agent_id, size)
    const age = performance.now() - size.measured_at
    const isOlder = ({ ms, measures }: typeof TRUST) => age > Math.max(ms, measures * size.took_ms)
    if (age === Infinity || (doubted && isOlder(DOUBT))) await measure(agent_id, size)
    // An unreadable workspace is reported by the operation that needs it.
    else if (isOlder(TRUST)) measure(agent_id, size).catch(() => undefined)
    return size
  }

  const usedBy = async (owner_id: string, doubted?: boolean): Promise<number> => {
    let used = 0
    for (const { id } of await agents.listOf(owner_id)) used += (await readSize(id, doubted)).bytes
    return used
  }

  /** Returns the limit that an agent's files exceed, if any. */
  const findExceeded = async (agent_id: string, doubted?: boolean): Promise<LimitName | undefined> => {
    if ((await readSize(agent_id, doubted)).bytes > limits.of('workspace_bytes')) return 'workspace_bytes'
    const agent = await agents.find(agent_id)
    const used = agent ? await usedBy(agent.owner_id, doubted) : 0
    return used > limits.of('account_bytes') ? 'account_bytes' : undefined
  }

  const assertRoom = async (agent_id: string) => {
    if (!(await findExceeded(agent_id))) return
    const limit = await findExceeded(agent_id, true)
    if (limit) throw new AppError('LIMIT_REACHED', { limit, max: limits.of(limit), agent_id })
  }

  const growthOf =
    (agent_id: string): Growth =>
    async (bytes, write) => {
      const size = await readSize(agent_id)
      // Counted before the check, so that parallel writes do not use the same room.
      size.bytes += bytes
      size.pending += bytes
      try {
        if (bytes > 0) await assertRoom(agent_id)
        const result = await write()
        size.written += Math.max(0, bytes)
        return result
      } catch (error) {
        size.bytes -= bytes
        throw error
      } finally {
        size.pending -= bytes
      }
    }

  return {
    /** Returns the size of an account's workspaces in bytes. */
    usedBy: (owner_id: string): Promise<number> => usedBy(owner_id),
    /** Lists the sizes of an account's workspaces in bytes, the largest first; old sizes are measured again. */
    async list(owner_id: string): Promise<{ agent_id: string; name: string; bytes: number }[]> {
      const workspaces = []
      for (const { id, name } of await agents.listOf(owner_id))
        workspaces.push({ agent_id: id, name, bytes: (await readSize(id, true)).bytes })
      return workspaces.sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))
    },
    /** Returns the size of all workspaces in bytes. */
    async total(): Promise<number> {
      let bytes = 0
      // The folder of workspaces that are being removed is none.
      for (const id of (await ignoreCodes(IGNORED_CODES, readdir(join(server.home, 'agents')))) ?? [])
        if (!id.startsWith('.')) bytes += (await readSize(id)).bytes
      return bytes
    },
    /**
     * Creates the check of writes to a workspace; it throws LIMIT_REACHED if the workspace or its owner's account is
     * full.
     */
    growthOf,
    /** The same for tools, with a FileFailure as the refusal; places outside of workspaces have no limit. */
    growthForTools(agent_id: string, location?: { is_outside: boolean }): Growth {
      if (location?.is_outside) return (_, write) => write()
      const grow = growthOf(agent_id)
      return (bytes, write) => grow(bytes, write).catch(explainFull)
    },
    /** Notes that files of so many bytes were removed; the size is measured again later, in case others have written. */
    shrink(agent_id: string, bytes: number): void {
      const size = sizes.get(agent_id)
      if (!size) return
      size.bytes = Math.max(0, size.bytes - bytes)
      size.measured_at = LONG_AGO
    },
    /** Drops the known size of a workspace. */
    forget: (agent_id: string): void => void sizes.delete(agent_id),
  }
}

function explainFull(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'LIMIT_REACHED') throw error
  const { limit, max } = error.details
  const whose = limit === 'workspace_bytes' ? 'the workspace' : "the workspaces of the agent's owner"
  throw new FileFailure(`there is no room: ${whose} may hold at most ${max} bytes; delete files first`)
}

/** Returns the bytes of all files of a workspace, which may not exist. */
async function measureFolder(path: string): Promise<number> {
  const root = await ignoreCodes(IGNORED_CODES, realpath(path))
  return root === undefined ? 0 : measureTree(root)
}

const IGNORED_CODES = ['ENOENT', 'ENOTDIR']
