import { Alert, Button } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { MessageCircle } from 'lucide-react'
import { t } from '../i18n/words.ts'
import { useAccount } from '../session/account.ts'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/pending.tsx'
import { AgentControls } from './agent-controls.tsx'
import { AgentState } from './agent-state.tsx'
import { AgentTabs } from './agent-tabs.tsx'
import { canManage, useAgent } from './use-agent.ts'

/** The settings of an agent: its state and controls, and its pages as tabs. */
export default function AgentPage() {
  const { data, error, refetch } = useAgent()
  const account = useAccount()
  if (!data)
    return (
      <Page title={t('agents.title')}>
        <Pending error={error} refetch={refetch} height={280} />
      </Page>
    )
  const agent = data.data
  const isManaged = canManage(agent, account)
  return (
    <Page
      title={agent.name}
      about={
        <>
          <AgentState state={agent.state} />
          {!agent.is_owner && ` · ${t('agents.of', { owner: agent.owner })}`}
        </>
      }
      actions={
        <>
          <Button
            component={Link}
            to={`/chat/${agent.id}`}
            variant="default"
            leftSection={<MessageCircle size={16} />}
          >
            {t('agents.chat')}
          </Button>
          {isManaged && <AgentControls agent={agent} />}
        </>
      }
    >
      {agent.state === 'failed' && agent.last_error && (
        <Alert color="red" variant="light" title={t('agents.failed')}>
          {agent.last_error}
        </Alert>
      )}
      <AgentTabs agent={agent} isManaged={isManaged} />
      <Outlet key={agent.id} />
    </Page>
  )
}
