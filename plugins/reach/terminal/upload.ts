import type { Client } from '#client'
import { withDeadline } from '#toolbox'
import { UnreachableError } from './api.ts'
import type { FileBlock } from './frames.ts'
import { readAnswer } from './service.ts'

/** Long enough for the largest file on a slow connection. */
const UPLOAD_MS = 120_000

/** A file to upload. */
export interface SentFile {
  name: string
  media_type: string
  data: Uint8Array<ArrayBuffer>
}

/** Creates the function that uploads a file to the agent's workspace and returns the block that names it in a message. */
export const createUpload = ({
  service,
  url,
  agent_id,
  signal,
}: {
  service: Client
  url: string
  agent_id: string
  signal: AbortSignal
}) => {
  const params = { path: { id: agent_id } }

  return async ({ name, media_type, data }: SentFile, callSignal: AbortSignal): Promise<FileBlock> => {
    const body = new FormData()
    body.set('file', new File([data], name, { type: media_type }))
    const send = (signal: AbortSignal) =>
      readAnswer(
        service.POST('/agents/{id}/upload', {
          params,
          body: { file: name },
          bodySerializer: () => body,
          signal,
        }),
        url,
      )
    const stored = await withDeadline(UPLOAD_MS, [signal, callSignal], send).catch((error: unknown) => {
      const isLate = error instanceof DOMException && !signal.aborted && !callSignal.aborted
      throw isLate ? new UnreachableError(url, error) : error
    })
    const { path, filename, media_type: type } = stored
    return { type: type.startsWith('image/') ? 'image' : 'file', path, filename, media_type: type }
  }
}

/** Uploads a file to the agent's workspace. */
export type Upload = ReturnType<typeof createUpload>
