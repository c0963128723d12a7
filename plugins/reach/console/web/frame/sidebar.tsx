import { NavLink, Text } from '@mantine/core'
import { Link, useRouterState } from '@tanstack/react-router'
import { Checklist } from '../first-run/checklist.tsx'
import { t } from '../i18n/words.ts'
import { useAccount } from '../session/account.ts'
import { type MenuEntry, useMenu } from './menu.ts'
import { PluginEntries } from './plugin-entries.tsx'
import classes from './sidebar.module.css'
import { AgentList } from './sidebar-agents.tsx'

interface Props {
  /** Called when an entry was chosen. */
  onLeave?: () => void
}

/** The menu: conversations first, then the pages that this account can use. */
export function Sidebar({ onLeave }: Props) {
  const account = useAccount()
  const entries = useMenu()
  const inGroup = (group: MenuEntry['group']) => entries.filter((entry) => entry.group === group)
  const administration = inGroup('administration')
  return (
    <nav className={classes.sidebar} aria-label={t('frame.navigation')}>
      <AgentList onLeave={onLeave}>
        <div className={classes.pages}>
          <Entries entries={inGroup('main').filter(({ to }) => to !== '/')} onLeave={onLeave} />
          <PluginEntries onLeave={onLeave} />
          {administration.length > 0 && (
            <>
              <Text className={classes.heading}>{t('frame.administration')}</Text>
              <Entries entries={administration} onLeave={onLeave} />
            </>
          )}
        </div>
      </AgentList>
      {account.role === 'admin' && <Checklist onLeave={onLeave} />}
      <div className={classes.foot}>
        <Entries entries={inGroup('account')} onLeave={onLeave} />
      </div>
    </nav>
  )
}

function Entries({ entries, onLeave }: Props & { entries: MenuEntry[] }) {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  return entries.map(({ to, label, icon: Icon }) => (
    <NavLink
      key={to}
      component={Link}
      to={to}
      label={t(label)}
      leftSection={<Icon size={16} aria-hidden />}
      active={path.startsWith(to)}
      onClick={onLeave}
      className={classes.entry}
    />
  ))
}
