import { constants } from 'node:fs'
import { posix } from 'node:path'
import { AppError, type ContextOf, type FileReply } from '#plugin-api'
import type { Viewer } from '../../agents/agents/types.ts'
import { createEtag, isShowable, lookupMediaType } from './files/file-facts.ts'
import { explainErrors, FileFailure, OutsideFailure } from './files/file-failure.ts'
import { BoundFailure } from './files/path-bounds.ts'
import { findPlace, inParent, openFileIn, type Place } from './files/workspace-path.ts'
import type { Cradle } from './manifest.ts'

/** The agent whose files are requested, and the caller. */
type Asker = Pick<ContextOf<'agent'>, 'agent'> & { caller: Viewer }
type Services = Pick<Cradle, 'agents' | 'extensions'>

/**
 * Runs work on the files of a workspace and converts its failures to errors of the API. If `creates` is set, the work
 * creates something at the path, so that a file in place of a folder is not reported as NOT_FOUND; `target` is the
 * field of the request that names a new path.
 */
export async function withApiErrors<Result>(
  path: string,
  work: () => Promise<Result>,
  { creates = false, target = '/path' } = {},
): Promise<Result> {
  try {
    return await explainErrors(path, work)
  } catch (error) {
    if (!(error instanceof FileFailure)) throw error
    if (error instanceof OutsideFailure)
      throw new AppError('VALIDATION_FAILED', {
        issues: [{ path: '/path', rule: 'workspace', message: 'must not lead out of the workspace' }],
      })
    if (error instanceof BoundFailure)
      throw new AppError('VALIDATION_FAILED', {
        issues: [{ path: target, rule: error.rule, message: error.message }],
      })
    const code = (error.cause as NodeJS.ErrnoException | undefined)?.code
    if (code === 'ENOENT' || (code === 'ENOTDIR' && !creates))
      throw new AppError('NOT_FOUND', {}, { cause: error })
    throw new AppError('FILE_UNUSABLE', { reason: error.message }, { cause: error })
  }
}

/** Resolves a path of the API to a place in the workspace; ignores a leading slash. */
export const resolvePlace = (workspace: string, path: string): Promise<Place> =>
  findPlace(workspace, `./${path}`)

/** Returns the path of a place relative to the workspace. */
export const toPath = ({ parts }: Place): string => parts.join('/')

/** Lists the paths that a guest's own threads refer to, or only `path` if it is one of them. */
async function listGuestFiles(
  { agent, caller }: Asker,
  { extensions }: Services,
  path?: string,
): Promise<Set<string>> {
  const request = { agent_id: agent._id, user_id: caller.id, ...(path !== undefined && { path }) }
  return new Set((await extensions['agents.named_files'].ask(request)).flat())
}

/** Creates the check of visible paths: all for the owner, for guests the paths to files of their own threads. */
export async function createVisibility(asker: Asker, services: Services): Promise<(path: string) => boolean> {
  if (services.agents.mayEdit(asker.agent, asker.caller)) return () => true
  const visible = new Set([''])
  for (const path of await listGuestFiles(asker, services)) {
    const names = path.split('/')
    for (const depth of names.keys()) visible.add(names.slice(0, depth + 1).join('/'))
  }
  return (path) => visible.has(path)
}

/**
 * Finds a place that the asker may see according to `isVisible`. Throws NOT_FOUND for all others, whether they exist or
 * not.
 */
export async function findVisible(
  { agent }: Asker,
  path: string,
  { agents }: Services,
  isVisible: (path: string) => boolean | Promise<boolean>,
): Promise<Place> {
  // Checked before the disk is accessed, so that timing reveals nothing about it.
  if (!(await isVisible(normalize(path)))) throw new AppError('NOT_FOUND')
  const location = await withApiErrors(path, () => resolvePlace(agents.workspaceOf(agent._id), path))
  // A visible path may have become a link to a hidden one.
  if (!(await isVisible(toPath(location)))) throw new AppError('NOT_FOUND')
  return location
}

/** Normalizes a path without resolving links. */
const normalize = (path: string) => posix.normalize(`./${path}`).replace(/^\.?\/|\/$/g, '')

/** Finds a file that the asker may read: any file for the owner, a file of their own threads for a guest. */
export function findReadable(asker: Asker, path: string, services: Services): Promise<Place> {
  const mayEdit = services.agents.mayEdit(asker.agent, asker.caller)
  return findVisible(
    asker,
    path,
    services,
    async (candidate) => mayEdit || (await listGuestFiles(asker, services, candidate)).has(candidate),
  )
}

/** Opens a file for a reply. */
export function openContent(location: Place, { inline }: { inline: boolean }): Promise<FileReply> {
  const path = toPath(location)
  return withApiErrors(path, () =>
    inParent(location, async (folder, name) => {
      const { file, stats } = await openFileIn(folder, name, constants.O_RDONLY)
      const media_type = lookupMediaType(name)
      const size = Number(stats.size)
      const is_inline = inline && isShowable(media_type)
      return { filename: name, media_type, size, etag: createEtag(stats), is_inline, file }
    }),
  )
}
