import { NavLink } from '@mantine/core'
import { Link, useRouterState } from '@tanstack/react-router'
import { language } from '../i18n/language.ts'
import { findPluginPage, listPluginPages } from '../plugin-pages/plugin-pages.ts'
import { useFacts } from '../server/facts.ts'
import { useAccount } from '../session/account.ts'
import { Puzzle } from '../ui/icons.ts'
import classes from './sidebar.module.css'

/** The entries of the menu for pages that plugins add. */
export function PluginEntries({ onLeave }: { onLeave?: (() => void) | undefined }) {
  const pages = listPluginPages(useFacts().pages, useAccount())
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const shown = findPluginPage(pages, path)
  return pages.map((page) => (
    <NavLink
      key={page.path}
      component={Link}
      to={page.path}
      label={page.title[language]}
      leftSection={<Puzzle size={16} aria-hidden />}
      active={page === shown}
      onClick={onLeave}
      className={classes.entry}
    />
  ))
}
