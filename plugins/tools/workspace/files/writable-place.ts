import { realpath } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { isWithin, type ToolContext, type WriteArea } from '#plugin-api'
import { FileFailure, ignoreCodes, quote } from './file-failure.ts'
import { findPlaceBelow, type Place, splitBelow } from './workspace-path.ts'

/** The schema of a path that `findWritablePlace` takes. */
export const writablePath = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  description:
    'A file, relative to the workspace; or an absolute path below the folder that the owner has opened for writing.',
} as const

/** A place that may be written; `is_outside` is true in the write area, false in the workspace. */
interface WritablePlace extends Place {
  is_outside: boolean
}

/**
 * Finds the place to write that a path names: in the workspace as `findPlace` does, or for an absolute path also in the
 * write area. Throws a FileFailure for all other places, also if a link leads there.
 */
export async function findWritablePlace(
  { workspace, write_area }: Pick<ToolContext, 'workspace' | 'write_area'>,
  path: string,
): Promise<WritablePlace> {
  const inside = await findPlaceBelow(workspace, path, 'the workspace')
  const location = inside
    ? { ...inside, is_outside: false }
    : write_area && isAbsolute(path)
      ? await findInArea(write_area, workspace, path)
      : undefined
  if (location && (location.parts.length === 0 || path.endsWith('/')))
    throw new FileFailure(`${quote(path)} names a folder, not a file`)
  if (location) return location
  const also = write_area ? `, and no absolute path below ${quote(write_area.root)}` : ''
  throw new FileFailure(`${quote(path)} is outside the workspace${also}`)
}

async function findInArea(
  { root, except }: WriteArea,
  workspace: string,
  path: string,
): Promise<WritablePlace | undefined> {
  const real = await ignoreCodes(['ENOENT', 'ENOTDIR'], realpath(root))
  if (real === undefined)
    throw new FileFailure(
      `${quote(path)} cannot be written: the folder for files outside the workspace is missing`,
    )
  const location = await findPlaceBelow(root, path, 'the folder for files outside the workspace')
  if (!location) return undefined
  const target = [location.root === '/' ? '' : location.root, ...location.parts].join('/')

  // A path through the write area that ends in the workspace counts as inside.
  const workspaceRoot = await realpath(workspace)
  const parts = splitBelow(workspaceRoot, target)
  if (parts) return { root: workspaceRoot, parts, is_outside: false }

  const refused = (await ignoreCodes(['ENOENT'], realpath(except))) ?? except
  if (isWithin(refused, target)) throw new FileFailure(`${quote(path)} is in the server's own folder`)
  return { ...location, is_outside: true }
}

/** Returns the path to show and to attach: relative to the workspace, or absolute outside of it. */
export function toShownPath({ root, parts, is_outside }: WritablePlace): string {
  return is_outside ? `${root === '/' ? '' : root}/${parts.join('/')}` : parts.join('/')
}

/** The places that `needsApproval` found, by call, until `execute` takes them. */
const judgedPlaces = new WeakMap<ToolContext, { path: string; location: Promise<WritablePlace> }>()

/** True if a call writes outside the workspace. A call that will be refused needs no approval. */
export async function isOutsideWrite({ path }: { path: string }, context: ToolContext): Promise<boolean> {
  const location = findWritablePlace(context, path)
  judgedPlaces.set(context, { path, location })
  return location.then(
    ({ is_outside }) => is_outside,
    () => false,
  )
}

/**
 * Returns the place to which a call writes: the same place or refusal as in the decision on approval, so that a link
 * that changes in between has no effect.
 */
export function takeWritablePlace(path: string, context: ToolContext): Promise<WritablePlace> {
  const judged = judgedPlaces.get(context)
  judgedPlaces.delete(context)
  return judged?.path === path ? judged.location : findWritablePlace(context, path)
}
