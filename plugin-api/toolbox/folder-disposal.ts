import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '#kernel'
import { removeTree } from './tree-removal.ts'

/** The folder, beside those that are removed, to which they are moved first. */
const REMOVED = '.removed'
/** The ending of the file that says why a folder could not be removed. */
const FAILURE = '.failure'

/** Removes folders whose programs may have made anything in them. */
export type FolderDisposal = ReturnType<typeof createFolderDisposal>

/**
 * Creates the disposal of the folders in `root`. A folder is moved to `.removed` first, and stays there until it is
 * removed, also after a crash or a failure.
 */
export function createFolderDisposal(root: string, { log }: { log: Logger }) {
  const removed = join(root, REMOVED)

  /** Removes a folder that was set aside; a failure is logged, and stored for `svc doctor`. */
  const removeAside = async (name: string): Promise<void> => {
    const failure = join(removed, `${name}${FAILURE}`)
    try {
      await removeTree(join(removed, name))
      await rm(failure, { force: true })
    } catch (error) {
      log.error(
        { error, folder: join(removed, name) },
        'a folder could not be removed; it is tried again later',
      )
      const { code, message } = error as NodeJS.ErrnoException
      await writeFile(failure, code ?? message, { mode: 0o600 })
    }
  }

  /** Moves a folder out of the way, and returns its new name; returns undefined if it does not exist. */
  const setAside = async (name: string): Promise<string | undefined> => {
    await mkdir(removed, { recursive: true, mode: 0o700 })
    const aside = `${name}.${randomUUID()}`
    try {
      await rename(join(root, name), join(removed, aside))
      return aside
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  return {
    setAside,

    /** Removes a folder; throws only if it cannot be moved out of the way. */
    async remove(name: string): Promise<void> {
      const aside = await setAside(name)
      if (aside !== undefined) await removeAside(aside)
    },

    removeAside,

    /** Removes what crashes and failures have left. */
    async removeLeft(signal: AbortSignal): Promise<void> {
      for (const name of await listLeft(removed)) {
        if (signal.aborted) return
        await removeAside(name)
      }
    },
  }
}

/** Describes for `svc doctor` what is still to be removed below `root`; throws if something cannot be removed. */
export async function describeLeftFolders(root: string): Promise<string> {
  const removed = join(root, REMOVED)
  const entries = await readNames(removed)
  const failures = await Promise.all(
    entries
      .filter((name) => name.endsWith(FAILURE))
      .map(async (name) => {
        const reason = await readFile(join(removed, name), 'utf8')
        return `${join(removed, name.slice(0, -FAILURE.length))} (${reason})`
      }),
  )
  if (failures.length > 0)
    throw new Error(`cannot be removed, and is tried again every 10 minutes: ${failures.join('; ')}`)
  const left = await listLeft(removed)
  return left.length > 0 ? `${left.length} being removed` : 'nothing is left'
}

const listLeft = async (removed: string): Promise<string[]> =>
  (await readNames(removed)).filter((name) => !name.endsWith(FAILURE))

async function readNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
