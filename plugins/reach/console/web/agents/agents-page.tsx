import { Button, SegmentedControl } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ListedAgent } from '../chat/use-agent.ts'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { useAccount } from '../session/account.ts'
import { SharedSign } from '../sharing/shared-sign.tsx'
import { Empty } from '../ui/empty.tsx'
import { LayoutGrid, Plus, Rows3 } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Page } from '../ui/page.tsx'
import { AgentIcon } from './agent-icon.tsx'
import { AgentState } from './agent-state.tsx'
import { NewAgent } from './new-agent.tsx'

/** The name of the agent that each account is created with. */
const DEFAULT_NAME = 'assistant'

/** The agents of the account and those that others share with it, as a list or as cards. */
export default function AgentsPage() {
  const isAdmin = useAccount().role === 'admin'
  const [scope, setScope] = useState<'own' | 'all'>('own')
  const [view, setView] = useLocalStorage<'rows' | 'cards'>({ key: 'svc.agents', defaultValue: 'rows' })
  const agents = useRows('/agents', scope === 'all' ? { query: { scope, limit: 200 } } : {})
  const [showsUntouched, setShowsUntouched] = useState(false)
  const untouched = agents.rows?.filter(isUntouched) ?? []
  const [isAdding, setAdding] = useState(false)
  const add = (
    <Button leftSection={<Plus size={16} />} onClick={() => setAdding(true)}>
      {t('agents.new')}
    </Button>
  )
  return (
    <Page title={t('agents.title')} about={t('agents.about')} actions={add}>
      <List
        {...agents}
        rows={showsUntouched ? agents.rows : agents.rows?.filter((agent) => !isUntouched(agent))}
        label={t('agents.title')}
        as={view}
        keyOf={({ id }) => id}
        textOf={({ name, description, owner }) => `${name} ${description ?? ''} ${owner}`}
        controls={
          <>
            {isAdmin && (
              <SegmentedControl
                aria-label={t('agents.scope')}
                data={[
                  { value: 'own', label: t('agents.scope_own') },
                  { value: 'all', label: t('agents.scope_all') },
                ]}
                value={scope}
                onChange={(scope) => setScope(scope as 'own' | 'all')}
              />
            )}
            <SegmentedControl
              aria-label={t('agents.view')}
              data={[
                { value: 'rows', label: <ViewIcon icon={Rows3} name={t('agents.view_rows')} /> },
                { value: 'cards', label: <ViewIcon icon={LayoutGrid} name={t('agents.view_cards')} /> },
              ]}
              value={view}
              onChange={(view) => setView(view as 'rows' | 'cards')}
            />
          </>
        }
        empty={
          <Empty title={t('agents.empty')} action={add}>
            {t('agents.empty_about')}
          </Empty>
        }
      >
        {(agent) => (
          <ListRow
            icon={<AgentIcon agent={agent} />}
            title={agent.name}
            link={{ to: '/chat/$agent', params: { agent: agent.id } }}
            meta={agent.description ?? undefined}
          >
            <SharedSign {...agent} />
            <AgentState state={agent.state} />
            <Button
              component={Link}
              to={`/agents/${agent.id}`}
              variant="default"
              size="xs"
              aria-label={t('frame.agent_settings', { agent: agent.name })}
            >
              {t('frame.settings')}
            </Button>
          </ListRow>
        )}
      </List>
      {untouched.length > 0 && (
        <Button
          variant="subtle"
          color="gray"
          w="fit-content"
          onClick={() => setShowsUntouched(!showsUntouched)}
        >
          {showsUntouched
            ? t('agents.hide_untouched')
            : t('agents.show_untouched', { count: untouched.length })}
        </Button>
      )}
      {isAdding && <NewAgent onClose={() => setAdding(false)} />}
    </Page>
  )
}

/** True for the agent that the account of somebody else was created with, as long as nothing of it was changed. */
const isUntouched = ({ is_owner, is_shared, created_at, updated_at, name }: ListedAgent) =>
  !is_owner && !is_shared && name === DEFAULT_NAME && created_at === updated_at

const ViewIcon = ({ icon: Icon, name }: { icon: typeof Rows3; name: string }) => (
  <Icon size={16} role="img" aria-label={name} style={{ display: 'block' }} />
)
