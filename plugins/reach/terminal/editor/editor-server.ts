import { Readable } from 'node:stream'
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk'
import { createUpload } from '../upload.ts'
import { createEditorApp } from './editor-app.ts'
import type { EditorSessionParts } from './editor-session.ts'
import { createEditorSessions, type EditorSessions } from './editor-sessions.ts'
import { AUTH_REQUIRED, toRequestError } from './sign-in.ts'

/**
 * Serves one editor until the editor disconnects or the signal aborts. Throws if the server cannot be reached or the
 * agent does not exist; if nobody is logged in, the editor receives that error instead.
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
  /** Finds the agent for the logged-in user. */
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
    // The editor may disconnect before the server has answered.
    await Promise.race([begun, connection.closed])
    await connection.closed
  } finally {
    signal.removeEventListener('abort', close)
    connection.close()
  }
}

/** Creates the protocol's stream on standard input and output, which remain open when it closes. */
const createStdioStream = (stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream): Stream => {
  const output = new WritableStream<Uint8Array>({
    write: (chunk) =>
      new Promise((resolve, reject) => {
        stdout.write(chunk, (error) => (error ? reject(error) : resolve()))
      }),
  })
  return ndJsonStream(output, Readable.toWeb(stdin) as ReadableStream<Uint8Array>)
}
