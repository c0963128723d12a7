import { client } from '../../server/client.ts'
import { readFailure } from '../../server/failure.ts'
import { send } from '../../server/send.ts'
import type { DocumentFacts, Draft, DraftFile } from './draft.ts'

/** A file that could not be uploaded. */
export interface FailedFile {
  name: string
  error: unknown
}

/** The file that is being uploaded, and its place among those that were chosen with it. */
export interface UploadProgress {
  name: string
  position: number
  count: number
}

/**
 * Stores files in the workspace of an agent, pictures at the size that models look at, and adds them to a draft one
 * after the other. Resolves with those that failed.
 */
export async function uploadTo(
  draft: Draft,
  agent_id: string,
  files: readonly File[],
  onProgress: (progress: UploadProgress) => void,
): Promise<FailedFile[]> {
  const failed: FailedFile[] = []
  for (const [index, file] of files.entries()) {
    onProgress({ name: file.name, position: index + 1, count: files.length })
    try {
      const added = await upload(agent_id, await shrink(file))
      draft.set({ files: [...draft.read().files, added] })
    } catch (error) {
      failed.push({ name: file.name, error })
    }
  }
  return failed
}

/** Documents whose reading is followed, by agent and path. */
const followed = new Set<string>()

/**
 * Waits until the documents of a draft that are being read are read, and shows what is known of them then. Resolves with
 * those for which nothing could be learned.
 */
export async function followReadings(draft: Draft, agent_id: string): Promise<FailedFile[]> {
  const failed: FailedFile[] = []
  const follow = async ({ path, filename }: DraftFile) => {
    const key = `${agent_id}/${path}`
    if (followed.has(key)) return
    followed.add(key)
    try {
      draft.describe(path, await readFacts(agent_id, path))
    } catch (error) {
      // If the server cannot be reached, perhaps because the page is left, it is asked again after a reload.
      if (!(error instanceof TypeError)) draft.describe(path, undefined)
      failed.push({ name: filename, error })
    } finally {
      followed.delete(key)
    }
  }
  const pending = draft.read().files.filter(({ document }) => document?.state === 'reading')
  await Promise.all(pending.map(follow))
  return failed
}

/** Returns what is known of a document once it is read, or why it cannot be read. */
async function readFacts(agent_id: string, path: string): Promise<DocumentFacts> {
  const params = { path: { id: agent_id }, query: { path, pages: '1' } }
  const { data, error } = await client.GET('/agents/{id}/files/document', { params })
  if (data) return data.document
  const { code = '', message } = readFailure(error)
  if (!code.startsWith('DOCUMENT_')) throw error
  return { kind: '', characters: 0, state: 'failed', reason: { code, message } }
}

const shrink = async (file: File): Promise<File> =>
  file.type.startsWith('image/') ? (await import('./shrink-picture.ts')).shrinkPicture(file) : file

async function upload(agent_id: string, file: File): Promise<DraftFile> {
  const form = new FormData()
  form.append('file', file, file.name || 'picture.png')
  const stored = await send(
    client.POST('/agents/{id}/upload', {
      params: { path: { id: agent_id } },
      body: { file: file.name },
      bodySerializer: () => form,
    }),
  )
  const { path, filename, media_type, size, document } = stored
  const type = /^image\/(png|jpeg|gif|webp)$/.test(media_type) ? 'image' : 'file'
  return { type, path, filename, media_type, size, ...(type === 'file' && document && { document }) }
}
