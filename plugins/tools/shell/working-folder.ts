import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isWithin } from '#toolbox'

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not a folder, or something on the way to it is not',
  ELOOP: 'is a link that cannot be followed',
  EACCES: 'may not be opened',
  ENAMETOOLONG: 'has a name that is too long',
  ERR_INVALID_ARG_VALUE: 'contains a NUL character',
}

/** Quotes a name for a message. */
export const quote = (name: string): string =>
  JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name)

/**
 * Returns the real paths of a workspace and of the folder in it in which a program runs. Throws an Error with a
 * sentence if it is not a folder of the workspace, or leads out of it through a link.
 */
export async function findWorkingFolder(
  workspace: string,
  cwd: string,
): Promise<{ root: string; folder: string }> {
  const root = await realpath(workspace)
  const isInside = [root, workspace].some((base) => isWithin(base, resolve(base, cwd)))
  if (!isInside) throw new Error(`the folder ${quote(cwd)} is outside the workspace`)
  try {
    const folder = await realpath(resolve(root, cwd))
    if (!isWithin(root, folder))
      throw new Error(`the folder ${quote(cwd)} leads out of the workspace through a link`)
    if (!(await stat(folder)).isDirectory()) throw new Error(`${quote(cwd)} is not a folder`)
    return { root, folder }
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? '']
    throw reason ? new Error(`the folder ${quote(cwd)} ${reason}`, { cause: error }) : error
  }
}
