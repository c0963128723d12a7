import { useMemo } from 'react'
import { useRows } from '../server/pages.ts'

/** The names of the agents that the account can use, by their ids. */
export type AgentNames = ReadonlyMap<string, string>

/** Returns the names of the agents that the account can use, by their ids. */
export function useAgentNames(): AgentNames {
  const { rows } = useRows('/agents', { query: { limit: 200 } })
  return useMemo(() => new Map(rows?.map(({ id, name }) => [id, name])), [rows])
}
