import { realpath } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { isWithin } from '#kernel'
import type { ToolContext, WriteArea } from '#plugin-api'
import { FileFailure, ignoring, quote } from './file-failure.ts'
import { findPlaceBelow, type Place, partsBelow } from './workspace-path.ts'

/** The schema of a path that `findWritablePlace` takes. */
export const writablePath = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  description:
    'A file, relative to the workspace; or an absolute path below the folder that the owner has opened for writing.',
} as const

/** Where a file may be written. `is_outside` tells places of the write area from those of the workspace. */
export interface WritablePlace extends Place {
  is_outside: boolean
}

/**
 * Finds the place to write that a path names: in the workspace as `findPlace` does, and for an absolute path also
 * in the write area. Throws a FileFailure for all other places, also where a link leads there.
 */
export async function findWritablePlace(
  { workspace, write_area }: Pick<ToolContext, 'workspace' | 'write_area'>,
  path: string,
): Promise<WritablePlace> {
  const inside = await findPlaceBelow(workspace, path, 'the workspace')
  const place = inside
    ? { ...inside, is_outside: false }
    : write_area && isAbsolute(path)
      ? await findInArea(write_area, workspace, path)
      : undefined
  if (place && (place.parts.length === 0 || path.endsWith('/')))
    throw new FileFailure(`${quote(path)} names a folder, not a file`)
  if (place) return place
  const also = write_area ? `, and no absolute path below ${quote(write_area.root)}` : ''
  throw new FileFailure(`${quote(path)} is outside the workspace${also}`)
}

async function findInArea(
  { root, except }: WriteArea,
  workspace: string,
  path: string,
): Promise<WritablePlace | undefined> {
  const real = await ignoring(['ENOENT', 'ENOTDIR'], realpath(root))
  if (real === undefined)
    throw new FileFailure(
      `${quote(path)} cannot be written: the folder for files outside the workspace is missing`,
    )
  const place = await findPlaceBelow(root, path, 'the folder for files outside the workspace')
  if (!place) return undefined
  const target = [place.root === '/' ? '' : place.root, ...place.parts].join('/')

  // By way of the area one may also come back into the workspace, which counts as what it is.
  const workspaceRoot = await realpath(workspace)
  const parts = partsBelow(workspaceRoot, target)
  if (parts) return { root: workspaceRoot, parts, is_outside: false }

  const refused = (await ignoring(['ENOENT'], realpath(except))) ?? except
  if (isWithin(refused, target)) throw new FileFailure(`${quote(path)} is in the server's own folder`)
  return { ...place, is_outside: true }
}

/** The place in words for the model, and for what is attached: relative to the workspace, else absolute. */
export function pathOf({ root, parts, is_outside }: WritablePlace): string {
  return is_outside ? `${root === '/' ? '' : root}/${parts.join('/')}` : parts.join('/')
}

/** What `needsApproval` found for a call, until `execute` takes it. */
const judged = new WeakMap<ToolContext, { path: string; place: Promise<WritablePlace> }>()

/** Whether a call writes outside the workspace. A call that will be refused needs no approval. */
export async function isOutsideWrite({ path }: { path: string }, context: ToolContext): Promise<boolean> {
  const place = findWritablePlace(context, path)
  judged.set(context, { path, place })
  return place.then(
    ({ is_outside }) => is_outside,
    () => false,
  )
}

/**
 * The place that a call writes to: the very one, or the very refusal, that was judged before if approval was asked
 * for, so that no link that changed meanwhile turns the one into the other.
 */
export function takeWritablePlace(path: string, context: ToolContext): Promise<WritablePlace> {
  const before = judged.get(context)
  judged.delete(context)
  return before?.path === path ? before.place : findWritablePlace(context, path)
}
