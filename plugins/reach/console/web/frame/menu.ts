import type { WordKey } from '../i18n/words.ts'
import type { router } from '../routes.tsx'
import { useFacts } from '../server/facts.ts'
import { type Account, may, useAccount } from '../session/account.ts'
import type { IconComponent } from '../ui/icon.tsx'
import {
  Activity,
  Archive,
  BookOpenText,
  Bot,
  Boxes,
  Cable,
  CalendarClock,
  ChartColumn,
  Folder,
  Globe,
  KeySquare,
  Library,
  MailPlus,
  MessageCircle,
  MessageSquareText,
  NotebookPen,
  Plug,
  Puzzle,
  ScrollText,
  Search,
  Settings,
  UserRound,
  Users,
} from '../ui/icons.ts'

/** A page that the frame, the settings and the palette lead to. */
export interface MenuEntry {
  to: Exclude<keyof (typeof router)['routesByPath'], `${string}/$${string}`>
  label: WordKey
  icon: IconComponent
  group: 'main' | 'yours' | 'administration'
  /** The plugin whose page it is; without it the page is not shown. */
  feature?: string
  /** True for accounts that can use the page; others do not see it. */
  isFor?: (account: Account) => boolean
  /** The name of the permission that the page needs; without it, and with `isFor`, it is for administrators only. */
  permission?: WordKey
}

const isAdmin = ({ role }: Account) => role === 'admin'
const managesUsers = (account: Account) => may(account, 'users')
const managesSso = (account: Account) => may(account, 'sso')

const MENU: MenuEntry[] = [
  { to: '/', label: 'frame.chat', icon: MessageCircle, group: 'main' },
  { to: '/search', label: 'search.title', icon: Search, group: 'main', feature: 'search' },
  { to: '/agents', label: 'frame.agents', icon: Bot, group: 'main' },
  { to: '/projects', label: 'projects.title', icon: Folder, group: 'main', feature: 'projects' },
  { to: '/archived', label: 'conversations.archive_title', icon: Archive, group: 'main' },
  { to: '/settings', label: 'frame.settings', icon: Settings, group: 'main' },
  { to: '/account', label: 'frame.account', icon: UserRound, group: 'yours' },
  { to: '/memory', label: 'frame.memory', icon: NotebookPen, group: 'yours', feature: 'memory' },
  { to: '/models', label: 'frame.models', icon: Boxes, group: 'yours' },
  {
    to: '/knowledge',
    label: 'frame.knowledge',
    icon: Library,
    group: 'yours',
    feature: 'knowledge',
  },
  {
    to: '/connectors',
    label: 'frame.connectors',
    icon: Plug,
    group: 'yours',
    feature: 'connectors',
  },
  {
    to: '/skills',
    label: 'frame.skills',
    icon: BookOpenText,
    group: 'yours',
    feature: 'skills',
  },
  {
    to: '/channels',
    label: 'frame.channels',
    icon: Cable,
    group: 'yours',
    feature: 'channels',
    isFor: (account) => may(account, 'channels'),
    permission: 'frame.channels',
  },
  {
    to: '/schedules',
    label: 'frame.schedules',
    icon: CalendarClock,
    group: 'yours',
    feature: 'schedules',
  },
  {
    to: '/prompts',
    label: 'frame.prompts',
    icon: MessageSquareText,
    group: 'yours',
    feature: 'prompts',
  },
  {
    to: '/usage',
    label: 'frame.usage',
    icon: ChartColumn,
    group: 'yours',
    feature: 'usage',
  },
  {
    to: '/people',
    label: 'frame.people',
    icon: Users,
    group: 'administration',
    feature: 'accounts',
    isFor: managesUsers,
    permission: 'frame.people',
  },
  {
    to: '/invites',
    label: 'frame.invites',
    icon: MailPlus,
    group: 'administration',
    feature: 'invites',
    isFor: managesUsers,
    permission: 'frame.people',
  },
  {
    to: '/sso',
    label: 'frame.sso',
    icon: KeySquare,
    group: 'administration',
    feature: 'sso',
    isFor: managesSso,
    permission: 'frame.sso',
  },
  {
    to: '/web-search',
    label: 'frame.web_search',
    icon: Globe,
    group: 'administration',
    feature: 'web',
    isFor: isAdmin,
  },
  {
    to: '/audit',
    label: 'frame.audit',
    icon: ScrollText,
    group: 'administration',
    feature: 'audit',
    isFor: isAdmin,
  },
  {
    to: '/overview',
    label: 'frame.overview',
    icon: Activity,
    group: 'administration',
    feature: 'overview',
    isFor: isAdmin,
  },
  {
    to: '/plugins',
    label: 'frame.plugins',
    icon: Puzzle,
    group: 'administration',
    feature: 'plugins',
    isFor: isAdmin,
  },
]

const isWithin = (address: string, { to }: MenuEntry) =>
  to !== '/' && (address === to || address.startsWith(`${to}/`))

interface PageAccess {
  /** `forbidden` if the account cannot use the page, `missing` if this server does not have it. */
  state: 'open' | 'forbidden' | 'missing'
  /** The name of the permission that a forbidden page needs. */
  permission?: WordKey | undefined
}

/** Tells if an address belongs to a page that the account cannot use. */
export function usePageAccess(address: string): PageAccess {
  const menu = useMenu()
  const { features } = useFacts()
  const entry = MENU.find((entry) => isWithin(address, entry))
  if (!entry || menu.includes(entry)) return { state: 'open' }
  const isThere = entry.feature === undefined || features[entry.feature]
  return isThere ? { state: 'forbidden', permission: entry.permission } : { state: 'missing' }
}

/** Returns the pages that an account can use on this server, in the order of the menu. */
export function useMenu(): MenuEntry[] {
  const account = useAccount()
  const { features } = useFacts()
  return MENU.filter(
    ({ feature, isFor }) => (feature === undefined || features[feature]) && (isFor?.(account) ?? true),
  )
}
