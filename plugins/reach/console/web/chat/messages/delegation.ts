import { createContext } from 'react'
import type { Turn } from '../store/thread-view.ts'
import type { ListedAgent } from '../use-agent.ts'
import { readInput } from './describe-call.ts'
import type { Call } from './parts.ts'

/** The turn whose calls are shown, and the agents that they may have asked. */
export interface ShownTurn {
  agent_id: string
  thread_id: string
  turn: Turn
  agents: readonly ListedAgent[]
}

/** The turn whose calls are shown; undefined in a shared conversation, whose reader may not read more. */
export const TurnContext = createContext<ShownTurn | undefined>(undefined)

/** True for a call whose work is a conversation of its own. */
export const isDelegation = ({ name }: Pick<Call, 'name'>) => name === 'task' || name === 'ask_agent'

/** The agent that a call has asked, if it is one of those that the account can use. */
export function findAsked(
  { name, input }: Pick<Call, 'name' | 'input'>,
  agents: readonly ListedAgent[] = [],
): ListedAgent | undefined {
  const { agent } = readInput(input)
  if (name !== 'ask_agent' || typeof agent !== 'string') return undefined
  const lowerCased = agent.toLowerCase()
  return agents.find(({ id, name }) => id === agent || name.toLowerCase() === lowerCased)
}

/** The name of the agent that a call has asked; undefined for a call that asked none. */
export function nameAsked(
  call: Pick<Call, 'name' | 'input'>,
  agents: readonly ListedAgent[],
): string | undefined {
  const { agent } = readInput(call.input)
  return findAsked(call, agents)?.name ?? (call.name === 'ask_agent' && agent ? String(agent) : undefined)
}
