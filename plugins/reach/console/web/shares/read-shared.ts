import { type Client, type components, createClient } from '#client'
import { saveBlob } from '../agents/files.ts'
import { language } from '../i18n/language.ts'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { readSession } from '../session/token.ts'

/** A copy of a conversation. */
export type SharedConversation = components['schemas']['SharedConversation']

/** A file that such a copy names; without an address it is not included. */
export type SharedFile = components['schemas']['SharedArtifact']

/** The client of somebody without a session, who is not asked to sign in. */
const strangerClient: Client = createClient({
  baseUrl: location.origin,
  headers: { 'accept-language': language },
})

const reader = () => (readSession() ? client : strangerClient)

/** Reads a copy of a conversation. */
export const readShared = (share_id: string): Promise<SharedConversation> =>
  send(reader().GET('/shared/{share_id}', { params: { path: { share_id } } }))

/** Reads a file of a copy of a conversation by its address. */
export async function readSharedFile(address: string): Promise<Blob> {
  const [, share_id = '', file_id = ''] = /\/shared\/([^/]+)\/files\/([^/]+)$/.exec(address) ?? []
  const params = { path: { share_id, file_id } }
  const reply = reader().GET('/shared/{share_id}/files/{file_id}', { params, parseAs: 'blob' })
  return (await send(reply)) as unknown as Blob
}

/** Saves a file of a copy of a conversation on the computer of the reader. */
export async function saveSharedFile(address: string, filename: string): Promise<void> {
  saveBlob(await readSharedFile(address), filename)
}

/** Lists the files of a copy of a conversation. */
export const listSharedFiles = ({ messages }: SharedConversation): SharedFile[] =>
  messages.flatMap(({ content, artifacts = [] }) => [
    ...content.flatMap((block) => (block.type === 'image' || block.type === 'file' ? [block] : [])),
    ...artifacts,
  ])
