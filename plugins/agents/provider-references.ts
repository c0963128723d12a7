import type { Events } from '#kernel'
import type { Cradle } from './manifest.ts'

/** Refuses the deletion of a provider that agents name in their `default_model`. */
export async function refuseReferenced(
  { name, owner_id, refuse }: Events['provider.deleting'],
  { agents }: Pick<Cradle, 'agents'>,
): Promise<void> {
  const referring = await agents.listByProvider(name, owner_id)
  if (referring.length > 0) refuse({ agents: referring.map(({ _id, name }) => ({ id: _id, name })) })
}
