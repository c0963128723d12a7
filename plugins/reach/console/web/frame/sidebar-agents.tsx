import { ActionIcon, NavLink } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { AgentIcon } from '../agents/agent-icon.tsx'
import { useThreads } from '../chat/thread-list.ts'
import { type ListedAgent, useAgents } from '../chat/use-agent.ts'
import { t } from '../i18n/words.ts'
import { Settings2 } from '../ui/icons.ts'
import classes from './sidebar.module.css'
import type { SidebarProps } from './sidebar.tsx'
import { SidebarSection } from './sidebar-section.tsx'

/** The most agents that the column names; the others are on their page. */
const MAX_AGENTS = 4

/** The agents that were used last; each entry begins a conversation, and a control beside it opens the settings. */
export function AgentEntries({ onLeave }: SidebarProps) {
  const { rows: agents = [] } = useAgents()
  const { rows: threads = [] } = useThreads()
  const { agent: current, thread } = useParams({ strict: false })
  const rankOf = ({ id }: ListedAgent) => {
    const rank = threads.findIndex(({ agent_id }) => agent_id === id)
    return rank < 0 ? threads.length : rank
  }
  const named = agents.toSorted((left, right) => rankOf(left) - rankOf(right)).slice(0, MAX_AGENTS)
  return (
    <SidebarSection id="agents" title={t('frame.agents')}>
      {named.map(({ id, name, icon, color, is_owner, owner, unread_count }) => (
        <div key={id} className={classes.agent}>
          <NavLink
            component={Link}
            to={`/chat/${id}`}
            activeOptions={{ exact: true }}
            label={
              <span className={classes.name} title={name}>
                {name}
                {!is_owner && <span className={classes.owner}> · {owner}</span>}
              </span>
            }
            leftSection={<AgentIcon agent={{ name, icon, color }} size="sm" />}
            rightSection={
              unread_count > 0 && (
                <span className={classes.unread} title={t('chat.unread', { count: unread_count })}>
                  {unread_count}
                </span>
              )
            }
            active={current === id && thread === undefined}
            onClick={onLeave}
            className={classes.entry}
          />
          <ActionIcon
            component={Link}
            to={`/agents/${id}`}
            variant="subtle"
            color="gray"
            size={24}
            aria-label={t('frame.agent_settings', { agent: name })}
            title={t('frame.agent_settings', { agent: name })}
            onClick={onLeave}
          >
            <Settings2 size={14} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <Link to="/agents" className={classes.more} onClick={onLeave}>
        {t(agents.length > named.length ? 'frame.all_agents' : 'frame.manage_agents')}
      </Link>
    </SidebarSection>
  )
}
