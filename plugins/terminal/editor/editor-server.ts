import { Readable } from 'node:stream'
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk'
import { createUpload } from '../upload.ts'
import { createEditorApp } from './editor-app.ts'
import type { EditorSessionParts } from './editor-session.ts'
import { createEditorSessions, type EditorSessions } from './editor-sessions.ts'
import { AUTH_REQUIRED, toRequestError } from './request-errors.ts'

/**
 * Serves one editor until it leaves or the signal ends it. Throws where the server cannot be reached or has no such
 * agent; that nobody is logged in is told the editor instead.
 */
export async function serveEditor({
  stdin,
  stdout,
  findAgent,
  title,
  version,
  advice,
  ...parts
}: Omit<EditorSessionParts, 'agent_id' | 'upload'> & {
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
  /** Looks the agent up, as who is logged in. */
  findAgent(): Promise<{ id: string }>
  title: string
  version: string
  advice: string
}): Promise<void> {
  const { signal, note } = parts
  let opened: Promise<EditorSessions> | undefined

  const openSessions = async () => {
    const { id: agent_id } = await findAgent()
    const upload = createUpload({ ...parts, agent_id })
    return createEditorSessions({ ...parts, agent_id, upload })
  }
  const ready = () => {
    opened ??= openSessions().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }

  const app = createEditorApp({ title, version, advice, ready, note })
  const connection = app.connect(createStdioStream(stdin, stdout))
  const close = () => connection.close()
  signal.addEventListener('abort', close)
  try {
    const begun = ready().catch((error: unknown) => {
      const { code, message } = toRequestError(error)
      if (code !== AUTH_REQUIRED) throw error
      note(message)
    })
    // An editor may leave before the server has answered.
    await Promise.race([begun, connection.closed])
    await connection.closed
  } finally {
    signal.removeEventListener('abort', close)
    connection.close()
  }
}

/** The protocol's stream on a program's own input and output, which stay open for their owner to close. */
const createStdioStream = (stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream): Stream => {
  const output = new WritableStream<Uint8Array>({
    write: (chunk) =>
      new Promise((resolve, reject) => {
        stdout.write(chunk, (error) => (error ? reject(error) : resolve()))
      }),
  })
  return ndJsonStream(output, Readable.toWeb(stdin) as ReadableStream<Uint8Array>)
}
