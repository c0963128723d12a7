import { ActionIcon, Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useAgents } from '../chat/use-agent.ts'
import { t } from '../i18n/words.ts'
import { ChevronDown } from '../ui/icons.ts'
import classes from './sidebar.module.css'
import type { SidebarProps } from './sidebar.tsx'

/** The choice of the agent of a new conversation; the menu comes into being when it is first opened. */
export default function AgentMenu({ onLeave }: SidebarProps) {
  const { rows: agents = [] } = useAgents()
  return (
    <Menu position="bottom-end" defaultOpened>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={t('conversations.choose_agent')}>
          <ChevronDown size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
        <Menu.Label>{t('conversations.choose_agent')}</Menu.Label>
        {agents.map(({ id, name, is_owner, owner }) => (
          <Menu.Item key={id} component={Link} to={`/chat/${id}`} onClick={onLeave}>
            {name}
            {!is_owner && <span className={classes.owner}> · {owner}</span>}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
