import { withDeadline } from '#toolbox'
import { RefusedError, UnreachableError } from './api.ts'
import type { FileBlock } from './frames.ts'
import type { Session } from './session.ts'

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
  url,
  agent_id,
  session,
  language,
  signal,
}: {
  url: string
  agent_id: string
  session: Session
  language: string
  signal: AbortSignal
}) => {
  const post = async ({ name, media_type, data }: SentFile, token: string, given: AbortSignal) => {
    const body = new FormData()
    body.set('file', new File([data], name, { type: media_type }))
    const send = async (signal: AbortSignal) => {
      const response = await fetch(`${url}/api/agents/${encodeURIComponent(agent_id)}/upload`, {
        method: 'POST',
        headers: {
          accept: 'application/json',
          'accept-language': language,
          authorization: `Bearer ${token}`,
        },
        body,
        signal,
      })
      if (!response.ok) throw new RefusedError({ status: response.status, body: await response.text() })
      return (await response.json()) as Omit<FileBlock, 'type'>
    }
    return withDeadline(UPLOAD_MS, [signal, given], send).catch((error: unknown) => {
      if (signal.aborted || given.aborted || error instanceof RefusedError) throw error
      throw new UnreachableError(url, error)
    })
  }

  return async (file: SentFile, given: AbortSignal): Promise<FileBlock> => {
    const stored = await session.withToken((token) => post(file, token, given))
    const { path, filename, media_type } = stored
    return { type: media_type.startsWith('image/') ? 'image' : 'file', path, filename, media_type }
  }
}

/** Uploads a file to the agent's workspace. */
export type Upload = ReturnType<typeof createUpload>
