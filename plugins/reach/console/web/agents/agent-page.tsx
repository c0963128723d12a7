import { Alert, Button } from '@mantine/core'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { NotFound } from '../frame/not-found.tsx'
import { t } from '../i18n/words.ts'
import { isGone } from '../ui/gone.tsx'
import { MessageCircle } from '../ui/icons.ts'
import { Managed, ManagedNote } from '../ui/managed.tsx'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/pending.tsx'
import { AgentControls } from './agent-controls.tsx'
import { AgentState } from './agent-state.tsx'
import { AgentTabs, useTabs } from './agent-tabs.tsx'
import { useAgent } from './use-agent.ts'

/** The settings of an agent: its state and controls, and its pages as tabs. */
export default function AgentPage() {
  const { data, error, refetch } = useAgent()
  const tabs = useTabs(data?.data.can_edit ?? false)
  const path = useLocation({ select: ({ pathname }) => pathname })
  if (!data || isGone(error))
    return (
      <Page title={t('agents.title')}>
        <Pending error={error} refetch={refetch} height={280} />
      </Page>
    )
  const agent = data.data
  // The tab of a plugin finds out by itself.
  if (nameTab(path) !== 'plugin' && !tabs.some(({ to }) => nameTab(to) === nameTab(path))) return <NotFound />
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
          {agent.can_edit && <AgentControls agent={agent} />}
        </>
      }
    >
      {agent.state === 'failed' && agent.last_error && (
        <Alert color="red" variant="light" title={t('agents.failed')}>
          {agent.last_error}
        </Alert>
      )}
      <AgentTabs id={agent.id} tabs={tabs} />
      {FORMS.includes(nameTab(path)) ? (
        <Managed row={agent}>
          <Outlet key={agent.id} />
        </Managed>
      ) : (
        <>
          {agent.managed_file !== null && PARTS.includes(nameTab(path)) && (
            <ManagedNote file={agent.managed_file} />
          )}
          <Outlet key={agent.id} />
        </>
      )}
    </Page>
  )
}

/** The tabs that are forms as a whole. */
const FORMS = ['', 'instructions', 'persona', 'tools', 'sharing']
/** The tabs of further parts that files declare, in which people can still look around. */
const PARTS = ['connectors', 'files', 'skills']

/** The last part of the address of a tab; nothing for the first one. */
const nameTab = (address: string) => address.split('/')[3] ?? ''
