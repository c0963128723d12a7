import { client } from '../../server/client.ts'
import { send } from '../../server/send.ts'
import type { Draft, DraftFile } from './draft.ts'

/** Stores files in the workspace of an agent and adds them to a draft. */
export async function uploadTo(draft: Draft, agent_id: string, files: readonly File[]): Promise<void> {
  for (const file of files) {
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
    const added: DraftFile = { type, path, filename, media_type, size }
    draft.set({ files: [...draft.read().files, added] })
  }
}
