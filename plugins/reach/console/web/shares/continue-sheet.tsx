import { NativeSelect, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { refreshThreads } from '../chat/store/threads.ts'
import { useAgent, useAgents } from '../chat/use-agent.ts'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { Sheet } from '../ui/sheet.tsx'

/** Asks with which agent a shared conversation is continued, and opens the new conversation. */
export function ContinueSheet({ share_id, onClose }: { share_id: string; onClose(): void }) {
  const agents = useAgents()
  const { agent: last } = useAgent(undefined)
  const [chosen, setChosen] = useState<string>()
  const navigate = useNavigate()
  const agent_id = chosen ?? last?.id
  const proceed = async () => {
    const params = { path: { share_id } }
    const { thread_id: thread, agent_id: agent } = await send(
      client.POST('/shared/{share_id}/continue', { params, body: { agent_id: agent_id! } }),
    )
    refreshThreads(agent)
    await navigate({ to: '/chat/$agent/$thread', params: { agent, thread } })
  }
  return (
    <Sheet
      title={t('shares.continue')}
      onSave={proceed}
      closesOnSave={false}
      saveLabel={t('shares.continue_action')}
      canSave={agent_id !== undefined}
      onClose={onClose}
    >
      <Text size="sm">{t('shares.continue_about')}</Text>
      <NativeSelect
        label={t('shares.agent')}
        value={agent_id ?? ''}
        onChange={(event) => setChosen(event.currentTarget.value)}
        data={(agents.rows ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        data-autofocus
      />
    </Sheet>
  )
}
