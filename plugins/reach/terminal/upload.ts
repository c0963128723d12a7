import type { Client, components } from '#client'
import { withDeadline } from '#plugin-api'
import { UnreachableError } from './api.ts'
import type { FileBlock } from './frames.ts'
import { readAnswer } from './service.ts'

/** Long enough for the largest file on a slow connection. */
const UPLOAD_MS = 120_000

type DocumentFacts = components['schemas']['DocumentFacts']

/** A file to upload. */
export interface SentFile {
  name: string
  media_type: string
  data: Uint8Array<ArrayBuffer>
}

/** A file in the workspace, and the facts about it if it is a document. */
export interface UploadedFile {
  block: FileBlock
  document?: DocumentFacts | undefined
}

/** Creates the function that uploads a file to the agent's workspace. */
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

  return async ({ name, media_type, data }: SentFile, callSignal: AbortSignal): Promise<UploadedFile> => {
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
    const { document, size: _, ...file } = stored
    const type = file.media_type.startsWith('image/') ? 'image' : 'file'
    return { block: { type, ...file }, document }
  }
}

/** Uploads a file to the agent's workspace. */
export type Upload = ReturnType<typeof createUpload>

/** Says what is known of a document, behind the sentence that it will be sent. */
export function describeDocument(document: DocumentFacts | undefined): string {
  if (document === undefined) return ''
  const { state, pages, reason } = document
  if (state === 'failed') return ` The agent cannot read it: ${reason!.message}`
  if (state === 'no_text') return ' It is probably a scan: run text recognition on it first.'
  if (state === 'reading') return ' It is still being read.'
  return pages === undefined ? '' : ` It has ${pages} ${pages === 1 ? 'page' : 'pages'}.`
}
