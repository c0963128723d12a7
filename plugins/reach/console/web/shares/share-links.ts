import type { components } from '#client'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'

/** A link to a copy of a conversation. */
export type Share = components['schemas']['Share']

/** The whole address of a share; the server knows only a path if it has no public address. */
export const addressOf = ({ url }: Share): string => new URL(url, location.origin).href

/** Copies the conversation again, under the same address. */
export async function updateShare({ share_id }: Share): Promise<void> {
  await send(client.PUT('/shares/{share_id}', { params: { path: { share_id } }, body: {} }))
  await refresh('/shares')
}

/** Deletes a link and the copy that it shows. */
export async function deleteShare({ share_id }: Share): Promise<void> {
  await send(client.DELETE('/shares/{share_id}', { params: { path: { share_id } } }))
  await refresh('/shares', '/auth/me')
}
