import { AppError, detectPictureType } from '#plugin-api'
import type { StoredFile } from '../../agents/agents/types.ts'
import type { ThreadOwner } from '../chat/threads/threads.ts'
import { type Archive, MAX_ASSET_BYTES } from './archive/archive.ts'
import type { ConversationFile, ConversationMessage } from './conversation.ts'
import type { Cradle } from './manifest.ts'
import type { StoredFiles } from './turns.ts'

/** The codes with which a workspace refuses a file. */
const REFUSALS = ['LIMIT_REACHED', 'WORKSPACE_UNUSABLE']

/** Stores the files of messages in the workspace of the agent that their conversation goes to. */
export type MessageFiles = ReturnType<typeof createMessageFiles>

/** Creates it for one run of an import: once a workspace is full, no more files are tried. */
export function createMessageFiles(
  owner: ThreadOwner,
  { readAsset }: Pick<Archive, 'readAsset'>,
  { agents, log }: Pick<Cradle, 'agents' | 'log'>,
) {
  let isFull = false

  const store = async (file: ConversationFile): Promise<StoredFile | undefined> => {
    const original = file.content
      ? { name: file.name, bytes: file.content }
      : await readAsset(file.names ?? []).catch((error) => {
          // The conversation is worth more than a damaged file.
          if (!(error instanceof AppError)) throw error
          log.info({ ...owner, code: error.code }, 'a file of an archive could not be read')
          return undefined
        })
    if (!original || original.bytes.length > MAX_ASSET_BYTES) return undefined
    const picture = detectPictureType(original.bytes)
    const filename = toFilename(file.name, original.name, picture)
    const media_type = picture ?? file.media_type ?? 'application/octet-stream'
    try {
      return await agents.receive({ bytes: original.bytes, filename, media_type }, owner)
    } catch (error) {
      if (!(error instanceof AppError && REFUSALS.includes(error.code))) throw error
      log.info({ ...owner, code: error.code }, 'files of an archive were not imported')
      isFull = true
      return undefined
    }
  }

  return {
    /** Stores the files that the archive has and that the workspace has room for. */
    async store(messages: readonly ConversationMessage[]): Promise<StoredFiles> {
      const stored = new Map<ConversationFile, StoredFile>()
      for (const file of messages.flatMap(({ files }) => files)) {
        if (isFull) break
        const copy = await store(file)
        if (copy) stored.set(file, copy)
      }
      return stored
    },
  }
}

/** Returns the name of a file with an extension: the archive may know it by its id alone. */
function toFilename(name: string, archived: string, picture: string | undefined): string {
  const named = /\.\w{1,10}$/.test(name) ? name : archived
  if (!picture || /\.(?:png|jpe?g|gif|webp)$/i.test(named)) return named
  return `${named.replace(/\.dat$/i, '')}.${picture.slice('image/'.length)}`
}
