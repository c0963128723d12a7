import { NavLink } from '@mantine/core'
import { Link, useRouterState } from '@tanstack/react-router'
import type { components } from '#client'
import { language } from '../i18n/language.ts'
import { useFacts } from '../server/facts.ts'
import { type Account, may, useAccount } from '../session/account.ts'
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

/** A page that a plugin adds. */
export type PluginPage = components['schemas']['ConsolePage']

/** The pages of plugins that an account is offered. */
export const listPluginPages = (pages: readonly PluginPage[], account: Account): PluginPage[] =>
  pages.filter(({ permission }) => permission === null || may(account, permission))

/** The page of a plugin at an address, or above it. */
export const findPluginPage = (pages: readonly PluginPage[], path: string): PluginPage | undefined =>
  pages.find((page) => path === page.path || path.startsWith(`${page.path}/`))
