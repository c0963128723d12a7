import { useEffect } from 'react'
import type { components } from '#client'
import { api } from '../server/client.ts'
import { useRows } from '../server/pages.ts'

/** An agent as the list shows it. */
export type ListedAgent = components['schemas']['ListedAgent']

const LAST = 'svc.agent'

/** The agents that this account can talk to. */
export const useAgents = () => useRows('/agents')

/** The agent of this id or name; without one, the agent that was used last in this browser, or else the first. */
export function useAgent(name: string | undefined) {
  const agents = useAgents()
  const idOrName = name ?? localStorage.getItem(LAST)
  const listed = agents.rows?.find((agent) => agent.id === idOrName || agent.name === idOrName)
  const isMissing = name !== undefined && agents.rows !== undefined && !listed
  const single = api.useQuery(
    'get',
    '/agents/{id}',
    { params: { path: { id: name ?? '' } } },
    { enabled: isMissing },
  )
  const agent: ListedAgent | undefined =
    listed ?? (isMissing ? single.data : undefined) ?? (name === undefined ? agents.rows?.[0] : undefined)
  const id = agent?.id
  useEffect(() => {
    if (id !== undefined) localStorage.setItem(LAST, id)
  }, [id])
  const query = isMissing ? single : agents
  return { agent, isPending: query.isPending, error: query.error, refetch: () => void query.refetch() }
}
