import { client } from '../../server/client.ts'
import { send } from '../../server/send.ts'
import type { Draft, DraftFile } from './draft.ts'

/** A file that could not be uploaded. */
export interface FailedFile {
  name: string
  error: unknown
}

/**
 * Stores files in the workspace of an agent, pictures at the size that models look at, and adds them to a draft one
 * after the other. Resolves with those that failed.
 */
export async function uploadTo(
  draft: Draft,
  agent_id: string,
  files: readonly File[],
): Promise<FailedFile[]> {
  const failed: FailedFile[] = []
  for (const file of files) {
    try {
      const added = await upload(agent_id, await shrink(file))
      draft.set({ files: [...draft.read().files, added] })
    } catch (error) {
      failed.push({ name: file.name, error })
    }
  }
  return failed
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
  const { path, filename, media_type, size } = stored
  const type = /^image\/(png|jpeg|gif|webp)$/.test(media_type) ? 'image' : 'file'
  return { type, path, filename, media_type, size }
}
