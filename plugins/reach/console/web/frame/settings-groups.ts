import type { WordKey } from '../i18n/words.ts'
import { useFacts } from '../server/facts.ts'
import { useAccount } from '../session/account.ts'
import { type MenuEntry, useMenu } from './menu.ts'
import { findPluginPage, listPluginPages, type PluginPage } from './plugin-pages.ts'

/** Pages of settings that belong together. */
export interface SettingsGroup {
  title: WordKey
  entries: MenuEntry[]
  /** The pages that plugins add. */
  pages: PluginPage[]
}

/** Returns the pages of settings that the account can use: its own ones, the administration, and pages of plugins. */
export function useSettingsGroups(): SettingsGroup[] {
  const menu = useMenu()
  const pages = listPluginPages(useFacts().pages, useAccount())
  const listIn = (group: MenuEntry['group']) => menu.filter((entry) => entry.group === group)
  const groups: SettingsGroup[] = [
    { title: 'frame.yours', entries: listIn('yours'), pages: [] },
    { title: 'frame.administration', entries: listIn('administration'), pages: [] },
    { title: 'frame.more_pages', entries: [], pages },
  ]
  return groups.filter(({ entries, pages }) => entries.length + pages.length > 0)
}

/** True if an address is a page of the settings. */
export function useIsSettings(path: string): boolean {
  const menu = useMenu()
  const pages = listPluginPages(useFacts().pages, useAccount())
  const isWithin = (to: string) => path === to || path.startsWith(`${to}/`)
  return (
    ['/settings', '/storage'].some(isWithin) ||
    menu.some(({ group, to }) => group !== 'main' && isWithin(to)) ||
    findPluginPage(pages, path) !== undefined
  )
}
