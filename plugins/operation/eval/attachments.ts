import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Client, InputBlock } from '#client'
import { readData } from './replies.ts'

/** Creates the function that puts files before a message; each file is uploaded once for an agent. */
export function createAttachments(client: Client, agent_id: string) {
  const uploads = new Map<string, Promise<InputBlock>>()

  const upload = async (path: string): Promise<InputBlock> => {
    const name = basename(path)
    const form = new FormData()
    form.set('file', new File([new Uint8Array(await readFile(path))], name))
    const {
      size: _,
      document: __,
      ...file
    } = await readData(
      client.POST('/agents/{id}/upload', {
        params: { path: { id: agent_id } },
        body: { file: name },
        bodySerializer: () => form,
      }),
    )
    return { type: file.media_type.startsWith('image/') ? 'image' : 'file', ...file }
  }

  return async (text: string, files: readonly string[]): Promise<string | InputBlock[]> => {
    if (files.length === 0) return text
    for (const path of files) if (!uploads.has(path)) uploads.set(path, upload(path))
    const blocks = await Promise.all(files.map((path) => uploads.get(path)!))
    return [{ type: 'text', text }, ...blocks]
  }
}
