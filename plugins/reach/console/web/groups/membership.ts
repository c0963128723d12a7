import { client } from '../server/client.ts'
import { send } from '../server/send.ts'

/** Adds an account to the groups that are new in a list, and takes it out of those that are missing. */
export async function setGroups(
  username: string,
  former: readonly string[],
  current: readonly string[],
): Promise<void> {
  const path = '/groups/{id}/members/{username}'
  for (const id of current)
    if (!former.includes(id)) await send(client.PUT(path, { params: { path: { id, username } } }))
  for (const id of former)
    if (!current.includes(id)) await send(client.DELETE(path, { params: { path: { id, username } } }))
}
