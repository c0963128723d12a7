import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { t } from '../i18n/words.ts'
import { Time } from '../ui/time.tsx'
import type { Memory } from './memories.ts'
import type { AgentNames } from './use-agent-names.ts'

interface Props {
  memory: Memory
  names: AgentNames
}

/** The only agent that reads a memory, the origin of the memory and its age. */
export const MemoryFacts = ({ memory, names }: Props) => (
  <>
    {memory.scope === 'agent' &&
      `${memory.agent_name === null ? t('memory.for_one') : t('memory.only_for', { agent: memory.agent_name })} · `}
    <Origin memory={memory} names={names} /> · <Time at={memory.created_at} />
  </>
)

function Origin({ memory: { source }, names }: Props) {
  if (source === null) return t('memory.added_by_you')
  const { agent_id: agent, thread_id: thread, message_id: message } = source
  const name = names.get(agent)
  // The conversations with an agent cannot be opened without it.
  if (name === undefined) return t('memory.from_gone')
  return (
    <Anchor
      underline="always"
      inherit
      renderRoot={(props) => (
        <Link {...props} to="/chat/$agent/$thread" params={{ agent, thread }} search={{ message }} />
      )}
    >
      {t('memory.from', { agent: name })}
    </Anchor>
  )
}
