import { ActionIcon, Kbd, NavLink } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ConversationList } from '../conversations/conversation-list.tsx'
import { Checklist } from '../first-run/checklist.tsx'
import { t } from '../i18n/words.ts'
import { useAccount } from '../session/account.ts'
import { Archive, Search, Settings } from '../ui/icons.ts'
import { showDialog } from './dialogs.ts'
import { NewConversation } from './new-conversation.tsx'
import { MOD } from './shortcut-keys.ts'
import classes from './sidebar.module.css'
import { AgentEntries } from './sidebar-agents.tsx'
import { ProjectEntries } from './sidebar-projects.tsx'

export interface SidebarProps {
  /** Called when an entry was chosen. */
  onLeave?: (() => void) | undefined
}

/** The column of conversations: a new one, the search, projects and agents, then all conversations; settings at the end. */
export function Sidebar({ onLeave }: SidebarProps) {
  const account = useAccount()
  const search = () => {
    onLeave?.()
    showDialog('palette')
  }
  return (
    <nav className={classes.sidebar} aria-label={t('frame.navigation')}>
      <div className={classes.head}>
        <NewConversation onLeave={onLeave} />
        <NavLink
          component="button"
          label={t('common.search')}
          leftSection={<Search size={16} aria-hidden />}
          rightSection={
            <Kbd size="xs" className={classes.keys}>
              {MOD} K
            </Kbd>
          }
          onClick={search}
          className={classes.entry}
        />
      </div>
      <div className={classes.scroll} data-scroller>
        <ProjectEntries onLeave={onLeave} />
        <AgentEntries onLeave={onLeave} />
        <ConversationList onLeave={onLeave} />
      </div>
      {account.role === 'admin' && <Checklist onLeave={onLeave} />}
      <div className={classes.foot}>
        <NavLink
          component={Link}
          to="/settings"
          label={t('frame.settings')}
          leftSection={<Settings size={16} aria-hidden />}
          onClick={onLeave}
          className={classes.entry}
        />
        <ActionIcon
          component={Link}
          to="/archived"
          variant="subtle"
          color="gray"
          size={32}
          aria-label={t('conversations.archive_title')}
          title={t('conversations.archive_title')}
          onClick={onLeave}
        >
          <Archive size={16} aria-hidden />
        </ActionIcon>
      </div>
    </nav>
  )
}
