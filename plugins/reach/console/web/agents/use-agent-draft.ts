import { useEffect, useState } from 'react'
import { listChanges, useDraft } from '../ui/draft.ts'
import { type Agent, type AgentChanges, updateAgent, useLoadedAgent } from './use-agent.ts'

/** A form over the agent of the address. It follows what others change, unless it has changes of its own. */
export function useAgentDraft<T extends object>(valuesOf: (agent: Agent) => T) {
  const { agent, tag } = useLoadedAgent()
  const draft = useDraft(valuesOf(agent))
  const [base, setBase] = useState(tag)
  const load = () => {
    draft.accept(valuesOf(agent))
    setBase(tag)
  }
  const isBehind = tag !== base && !draft.isDirty
  useEffect(() => {
    if (isBehind) load()
  }, [isBehind])

  const save = async () => {
    const stored = await updateAgent(agent.id, listChanges(draft.base, draft.value) as AgentChanges, base)
    draft.accept(valuesOf(stored.data))
    setBase(stored.tag)
  }
  return { ...draft, reset: load, save }
}
