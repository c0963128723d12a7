import { Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { t, type WordKey } from '../i18n/words.ts'
import { Heading } from '../ui/heading.tsx'
import { Page } from '../ui/page.tsx'
import type { MenuEntry } from './menu.ts'
import { useSettingsGroups } from './settings-groups.ts'
import classes from './settings-page.module.css'
import { iconOf, labelOf } from './slots.ts'

/** A sentence about each page; the chat, which has the same menu, does not load these texts. */
const ABOUTS: Partial<Record<MenuEntry['to'], WordKey>> = {
  '/account': 'account.about',
  '/memory': 'memory.about',
  '/models': 'models.about',
  '/knowledge': 'knowledge.about',
  '/connectors': 'connectors.about',
  '/skills': 'skills.about',
  '/channels': 'channels.about',
  '/schedules': 'schedules.about',
  '/prompts': 'prompts.about',
  '/usage': 'usage.about',
  '/people': 'people.about',
  '/invites': 'invites.about',
  '/sso': 'sso.about',
  '/web-search': 'web-search.about',
  '/audit': 'audit.about',
  '/overview': 'overview.about',
  '/plugins': 'plugins.about',
}

/** All pages of settings with a sentence about each. */
export default function SettingsPage() {
  const groups = useSettingsGroups()
  return (
    <Page title={t('frame.settings')}>
      {groups.map(({ title, entries, pages }) => (
        // No region: the column beside it has regions with these names.
        <Stack key={title} gap="sm">
          <Heading order={2} title={t(title)} />
          <ul className={classes.pages}>
            {entries.map(({ to, label, icon: Icon }) => (
              <li key={to}>
                <Link to={to} className={classes.page}>
                  <Icon size={18} aria-hidden />
                  <span>
                    <span className={classes.name}>{t(label)}</span>
                    {ABOUTS[to] && <span className={classes.about}>{t(ABOUTS[to])}</span>}
                  </span>
                </Link>
              </li>
            ))}
            {pages.map((page) => {
              const Icon = iconOf(page)
              return (
                <li key={page.path}>
                  <Link to={page.path} className={classes.page}>
                    <Icon size={18} aria-hidden />
                    <span className={classes.name}>{labelOf(page)}</span>
                  </Link>
                </li>
              )
            })}
          </ul>
        </Stack>
      ))}
    </Page>
  )
}
