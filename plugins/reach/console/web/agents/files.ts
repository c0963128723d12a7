import type { components } from '#client'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'

export type WorkspaceFile = components['schemas']['File']

/** The most bytes of a file that is shown as text. */
const MAX_TEXT_BYTES = 1024 * 1024

/** The last part of a path. */
export const baseName = (path: string) => path.split('/').at(-1) ?? path

/** The path of something in a folder; the workspace itself is the empty path. */
export const joinPath = (folder: string, name: string) => (folder ? `${folder}/${name}` : name)

/** Reads a file with the tag of its version. */
export async function readFile(id: string, path: string): Promise<{ blob: Blob; tag: string | null }> {
  const params = { path: { id }, query: { path } }
  const { data, error, response } = await client.GET('/agents/{id}/files/content', {
    params,
    parseAs: 'blob',
  })
  if (error !== undefined) throw error
  return { blob: data as unknown as Blob, tag: response.headers.get('etag') }
}

/** Stores a file; refused if there is one that the headers do not allow to replace. */
export async function writeFile(
  id: string,
  path: string,
  content: Blob,
  headers: Record<string, string> = {},
) {
  await send(
    client.PUT('/agents/{id}/files/content', {
      params: { path: { id }, query: { path } },
      headers: { 'content-type': 'application/octet-stream', ...headers },
      body: content as unknown as string,
      bodySerializer: (body) => body,
    }),
  )
  await refresh('/agents/{id}/files')
}

/** Characters of UTF-16 and of ISO-2022, which are UTF-8 as well, but not in texts. */
const FOREIGN = ['\0', '\u001b$']

/** The text of a file in UTF-8; undefined in any other charset. */
export async function decodeText(blob: Blob): Promise<string | undefined> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await blob.arrayBuffer())
    return FOREIGN.some((mark) => text.includes(mark)) ? undefined : text
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** Saves a file of the workspace on the computer of the person. */
export async function downloadFile(id: string, path: string): Promise<void> {
  const { blob } = await readFile(id, path)
  saveBlob(blob, baseName(path))
}

/** Saves a folder of the workspace as a zip archive. */
export async function downloadFolder(id: string, path: string): Promise<void> {
  const params = { path: { id }, query: { path } }
  const { data, error } = await client.GET('/agents/{id}/files/archive', { params, parseAs: 'blob' })
  if (error !== undefined) throw error
  saveBlob(data as unknown as Blob, `${baseName(path) || 'workspace'}.zip`)
}

/** Saves something on the computer of the person. */
export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** True if a file may be shown as text, unless its content turns out to be in another charset than UTF-8. */
export const isText = ({ media_type, path, size }: WorkspaceFile) =>
  (size ?? 0) <= MAX_TEXT_BYTES &&
  // The types of Office documents contain "openxml".
  (/^text\/|json|[/+]xml|yaml|javascript|typescript|toml/.test(media_type ?? '') ||
    /(^|\/)[^./]+$|\.(md|txt|csv|log|ya?ml|toml|ini|sh|py|[jt]sx?|sql|env)$/i.test(path))
