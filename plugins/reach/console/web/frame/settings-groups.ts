import type { WordKey } from '../i18n/words.ts'
import { type MenuEntry, useMenu } from './menu.ts'
import { isAt, type SlotPage, usePages } from './slots.ts'

/** Pages of settings that belong together. */
export interface SettingsGroup {
  title: WordKey
  entries: MenuEntry[]
  /** The pages that plugins add. */
  pages: SlotPage[]
}

/** Returns the pages of settings that the account can use: its own ones, the administration, and pages of plugins. */
export function useSettingsGroups(): SettingsGroup[] {
  const menu = useMenu()
  const pages = usePages('pages')
  const adminPages = usePages('admin.pages')
  const listIn = (group: MenuEntry['group']) => menu.filter((entry) => entry.group === group)
  const groups: SettingsGroup[] = [
    { title: 'frame.yours', entries: listIn('yours'), pages: [] },
    { title: 'frame.administration', entries: listIn('administration'), pages: adminPages },
    { title: 'frame.more_pages', entries: [], pages },
  ]
  return groups.filter(({ entries, pages }) => entries.length + pages.length > 0)
}

/** True if an address is a page of the settings. */
export function useIsSettings(path: string): boolean {
  const menu = useMenu()
  const pages = usePages('pages')
  const adminPages = usePages('admin.pages')
  const isWithin = (to: string) => path === to || path.startsWith(`${to}/`)
  return (
    ['/settings', '/storage'].some(isWithin) ||
    menu.some(({ group, to }) => group !== 'main' && isWithin(to)) ||
    [...pages, ...adminPages].some((page) => isAt(page, path))
  )
}
