import { client } from '../server/client.ts'
import { send } from '../server/send.ts'

/** Adds an account to the groups that are new in a list, and takes it out of those that are missing. */
export async function setGroups(
  username: string,
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  const path = '/groups/{id}/members/{username}'
  for (const id of after)
    if (!before.includes(id)) await send(client.PUT(path, { params: { path: { id, username } } }))
  for (const id of before)
    if (!after.includes(id)) await send(client.DELETE(path, { params: { path: { id, username } } }))
}
