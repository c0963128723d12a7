import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { components } from '#client'
import { client } from '../server/client.ts'
import { queries } from '../server/queries.ts'
import { ifMatch, refresh, send, sendTagged } from '../server/send.ts'

export type Agent = components['schemas']['Agent']
export type AgentChanges = components['schemas']['UpdateAgentBody']

const keyOf = (id: string) => ['get', '/agents/{id}', id, 'tagged']

/** The agent of the address, with the tag of its version. */
export function useAgent() {
  const { id } = useParams({ from: '/agents/$id' })
  return useQuery({
    queryKey: keyOf(id),
    queryFn: () => sendTagged(client.GET('/agents/{id}', { params: { path: { id } } })),
  })
}

/** The agent of the address, on pages that are shown once it is loaded. */
export function useLoadedAgent(): { agent: Agent; tag: string | null } {
  const { data } = useAgent()
  return { agent: data!.data, tag: data!.tag }
}

/** Stores changes of an agent; refused if it has changed since the version of the tag. */
export async function updateAgent(id: string, body: AgentChanges, tag?: string | null) {
  const init = { params: { path: { id }, header: ifMatch(tag) }, body }
  const stored = await sendTagged(client.PATCH('/agents/{id}', init))
  queries.setQueryData(keyOf(id), stored)
  await refresh('/agents')
  return stored
}

/** Starts, stops or restarts an agent. */
export async function controlAgent(id: string, action: 'start' | 'stop' | 'reload'): Promise<void> {
  const init = { params: { path: { id } } }
  try {
    await send<unknown>(client.POST(`/agents/{id}/${action}`, init))
  } finally {
    await refresh('/agents')
  }
}
