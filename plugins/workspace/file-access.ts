import { constants } from 'node:fs'
import { posix } from 'node:path'
import { AppError, type ContextOf, type FileReply } from '#kernel'
import { explaining, FileFailure, OutsideFailure } from './files/file-failure.ts'
import { etagOf } from './files/file-row.ts'
import { isShowable, mediaTypeOf } from './files/media-type.ts'
import { findPlace, openFileIn, openFolder, type Place, splitPlace } from './files/workspace-path.ts'
import type { Cradle } from './manifest.ts'

/** Who asks for files of which agent, and what it takes to find out what they may read. */
export type Asker = Pick<ContextOf<'agent'>, 'agent'> & { caller: { id: string; role: 'user' | 'admin' } }
type Services = Pick<Cradle, 'agents' | 'extensions'>

/**
 * Runs work on the files of a workspace; what cannot be done is thrown again as the API answers it. With `to_make`
 * something is to be made at the path, so that a file in the place of a folder is not the same as nothing.
 */
export async function answering<Result>(
  path: string,
  work: () => Promise<Result>,
  { to_make = false } = {},
): Promise<Result> {
  try {
    return await explaining(path, work)
  } catch (error) {
    if (!(error instanceof FileFailure)) throw error
    if (error instanceof OutsideFailure)
      throw new AppError('VALIDATION_FAILED', {
        issues: [{ path: '/path', rule: 'workspace', message: 'must not lead out of the workspace' }],
      })
    const code = (error.cause as NodeJS.ErrnoException | undefined)?.code
    if (code === 'ENOENT' || (code === 'ENOTDIR' && !to_make))
      throw new AppError('NOT_FOUND', {}, { cause: error })
    throw new AppError('FILE_UNUSABLE', { reason: error.message }, { cause: error })
  }
}

/** Finds the place that a path of the API names; a leading slash is ignored. */
export const placeOf = (workspace: string, path: string): Promise<Place> => findPlace(workspace, `./${path}`)

/** The path of a place from the workspace. */
export const pathOf = ({ parts }: Place): string => parts.join('/')

/** The paths of the files that a guest's own threads name, or `path` alone if it is one of them. */
async function namedFiles(
  { agent, caller }: Asker,
  { extensions }: Services,
  path?: string,
): Promise<Set<string>> {
  const asked = { agent_id: agent._id, user_id: caller.id, ...(path !== undefined && { path }) }
  return new Set((await extensions['agents.named_files'].ask(asked)).flat())
}

/** Tells which files and folders the asker sees: all, or for a guest those that lead to files of their own threads. */
export async function seenBy(asker: Asker, services: Services): Promise<(path: string) => boolean> {
  if (services.agents.isOwner(asker.agent, asker.caller)) return () => true
  const seen = new Set([''])
  for (const path of await namedFiles(asker, services)) {
    const names = path.split('/')
    for (const depth of names.keys()) seen.add(names.slice(0, depth + 1).join('/'))
  }
  return (path) => seen.has(path)
}

/**
 * Finds a place that the asker may read, `isSeen` being what they may. Throws NOT_FOUND for all others, whether they
 * exist or not.
 */
export async function findSeen(
  { agent }: Asker,
  path: string,
  { agents }: Services,
  isSeen: (path: string) => boolean | Promise<boolean>,
): Promise<Place> {
  // Nothing of the disk is looked at for somebody who may not know of it.
  if (!(await isSeen(spelled(path)))) throw new AppError('NOT_FOUND')
  const place = await answering(path, () => placeOf(agents.workspaceOf(agent._id), path))
  // What they were shown may have become a link to what they were not.
  if (!(await isSeen(pathOf(place)))) throw new AppError('NOT_FOUND')
  return place
}

/** A path as it would be without links. */
const spelled = (path: string) => posix.normalize(`./${path}`).replace(/^\.?\/|\/$/g, '')

/** Finds a file that the asker may read: a guest one that their own threads name. */
export function findReadable(asker: Asker, path: string, services: Services): Promise<Place> {
  const isOwner = services.agents.isOwner(asker.agent, asker.caller)
  return findSeen(
    asker,
    path,
    services,
    async (one) => isOwner || (await namedFiles(asker, services, one)).has(one),
  )
}

/** Opens a file to be sent. */
export function openContent(place: Place, { inline }: { inline: boolean }): Promise<FileReply> {
  const path = pathOf(place)
  return answering(path, async () => {
    const { parent, name } = splitPlace(place)
    const folder = await openFolder(parent)
    try {
      const { file, stats } = await openFileIn(folder, name, constants.O_RDONLY)
      const media_type = mediaTypeOf(name)
      const size = Number(stats.size)
      const is_inline = inline && isShowable(media_type)
      return { filename: name, media_type, size, etag: etagOf(stats), is_inline, file }
    } finally {
      await folder.close()
    }
  })
}
