import { link, realpath } from 'node:fs/promises'
import { extname } from 'node:path'
import { AppError, type OpenFolder, type UploadedFile } from '#plugin-api'
import type { StoredFile } from '../../agents/agents/types.ts'
import { lookupMediaType } from './files/file-facts.ts'
import { explainErrors, FileFailure, ignoreCodes } from './files/file-failure.ts'
import type { Growth } from './files/file-replacement.ts'
import { inFolder } from './files/workspace-path.ts'
import type { Cradle } from './manifest.ts'

/** The folder of a workspace for uploads. */
const INBOUND = 'inbound'
const MAX_NAME_BYTES = 200
const MEDIA_TYPE = /^[\w.+-]{1,127}\/[\w.+-]{1,127}$/
const UNKNOWN_TYPE = 'application/octet-stream'

/** Stores a file that was sent to an agent in the folder for uploads of its workspace; guests may read their own. */
export async function receiveFile(
  { agent_id, file, user_id }: { agent_id: string; file: UploadedFile; user_id?: string },
  { agents, guestUploads, workspaceRoom }: Pick<Cradle, 'agents' | 'guestUploads' | 'workspaceRoom'>,
): Promise<StoredFile> {
  const workspace = await realpath(await agents.prepareWorkspace(agent_id))
  const stored = await storeUpload(workspace, file, workspaceRoom.growthOf(agent_id))
  if (user_id !== undefined && (await agents.find(agent_id))?.owner_id !== user_id)
    await guestUploads.record({ agent_id, user_id, path: stored.path })
  return stored
}

/**
 * Stores an upload under its own name, with a number if the name is taken. Throws WORKSPACE_UNUSABLE if the folder for
 * uploads is something else or not writable, and the errors of `grow`.
 */
async function storeUpload(root: string, file: UploadedFile, grow: Growth): Promise<StoredFile> {
  try {
    return await explainErrors(INBOUND, () => grow(file.size, () => store(root, file)))
  } catch (error) {
    if (error instanceof FileFailure)
      throw new AppError('WORKSPACE_UNUSABLE', { reason: error.message }, { cause: error })
    throw error
  }
}

async function store(
  root: string,
  { path, filename: originalName, media_type, size }: UploadedFile,
): Promise<StoredFile> {
  const storeIn = async (folder: OpenFolder): Promise<StoredFile> => {
    for (let number = 1; ; number += 1) {
      const filename = toFilename(originalName, number)
      // `link` fails if the name is taken, and makes the complete file visible at once.
      const isTaken = await ignoreCodes(
        ['EEXIST'],
        link(path, folder.entry(filename)).then(() => false),
      )
      if (isTaken === undefined) continue
      return {
        path: `${INBOUND}/${filename}`,
        filename,
        media_type: chooseMediaType(filename, media_type),
        size,
      }
    }
  }
  return inFolder({ root, parts: [INBOUND] }, storeIn, { create: true })
}

/** Converts a name to one that every file system accepts, with the number before the extension. */
function toFilename(originalName: string, number: number): string {
  const plain = originalName
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '')
  const extension = clip(extname(plain), 20)
  const stem = clip(plain.slice(0, plain.length - extname(plain).length), MAX_NAME_BYTES) || 'file'
  return `${stem}${number > 1 ? `-${number}` : ''}${extension}`
}

/** Cuts a text between characters to a number of bytes. */
function clip(text: string, bytes: number): string {
  let length = 0
  let clipped = ''
  for (const character of text) {
    length += Buffer.byteLength(character)
    if (length > bytes) break
    clipped += character
  }
  return clipped
}

function chooseMediaType(filename: string, media_type: string): string {
  const isStated = MEDIA_TYPE.test(media_type) && media_type !== UNKNOWN_TYPE
  return isStated ? media_type.toLowerCase() : lookupMediaType(filename)
}
