import { NavLink } from '@mantine/core'
import { Link, useRouterState } from '@tanstack/react-router'
import { Checklist } from '../first-run/checklist.tsx'
import { t } from '../i18n/words.ts'
import { useAccount } from '../session/account.ts'
import { ArrowLeft } from '../ui/icons.ts'
import { readLastPlace } from './last-place.ts'
import { useSettingsGroups } from './settings-groups.ts'
import classes from './sidebar.module.css'
import type { SidebarProps } from './sidebar.tsx'
import { iconOf, isAt, labelOf } from './slots.ts'

/** The pages of settings, in place of the conversations while one of them is shown. */
export function SettingsRail({ onLeave }: SidebarProps) {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const groups = useSettingsGroups()
  const { role } = useAccount()
  return (
    <nav className={classes.sidebar} aria-label={t('frame.settings')}>
      <div className={classes.head}>
        <NavLink
          component={Link}
          to={readLastPlace()}
          label={t('frame.back')}
          leftSection={<ArrowLeft size={16} aria-hidden />}
          onClick={onLeave}
          className={classes.entry}
        />
      </div>
      <div className={classes.scroll}>
        {groups.map(({ title, entries, pages }) => (
          <section key={title} aria-label={t(title)} className={classes.section}>
            <h2 className={classes.title}>{t(title)}</h2>
            {entries.map(({ to, label, icon: Icon }) => (
              <NavLink
                key={to}
                component={Link}
                to={to}
                label={t(label)}
                leftSection={<Icon size={16} aria-hidden />}
                active={path === to || path.startsWith(`${to}/`)}
                onClick={onLeave}
                className={classes.entry}
              />
            ))}
            {pages.map((page) => {
              const Icon = iconOf(page)
              return (
                <NavLink
                  key={page.path}
                  component={Link}
                  to={page.path}
                  label={labelOf(page)}
                  leftSection={<Icon size={16} aria-hidden />}
                  active={isAt(page, path)}
                  onClick={onLeave}
                  className={classes.entry}
                />
              )
            })}
          </section>
        ))}
      </div>
      {role === 'admin' && <Checklist onLeave={onLeave} />}
    </nav>
  )
}
