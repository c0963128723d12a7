import type { Cradle } from './manifest.ts'

/** Lists the agents that name a provider in their `default_model`, which keep it from being deleted. */
export async function listReferring(
  { name, owner_id }: { name: string; owner_id: string | null },
  { agents }: Pick<Cradle, 'agents'>,
): Promise<Record<string, unknown>> {
  const referring = await agents.listByProvider(name, owner_id)
  return referring.length > 0 ? { agents: referring.map(({ _id, name }) => ({ id: _id, name })) } : {}
}
