import type { WordKey } from '../i18n/words.ts'
import type { router } from '../routes.tsx'
import { useFacts } from '../server/facts.ts'
import { type Account, may, useAccount } from '../session/account.ts'
import type { IconComponent } from '../ui/icon.tsx'
import {
  Activity,
  BookOpenText,
  Bot,
  Boxes,
  Cable,
  CalendarClock,
  ChartColumn,
  KeySquare,
  Library,
  MailPlus,
  MessageCircle,
  Plug,
  ScrollText,
  UserRound,
  Users,
} from '../ui/icons.ts'

/** A page that the menu and the palette lead to. */
export interface MenuEntry {
  to: Exclude<keyof (typeof router)['routesByPath'], `${string}/$${string}`>
  label: WordKey
  icon: IconComponent
  group: 'main' | 'administration' | 'account'
  /** The plugin whose page it is; without it the page is not shown. */
  feature?: string
  /** True for accounts that can use the page; others do not see it. */
  isFor?: (account: Account) => boolean
}

const isAdmin = ({ role }: Account) => role === 'admin'
const managesUsers = (account: Account) => may(account, 'users')
const managesSso = (account: Account) => may(account, 'sso')

const MENU: MenuEntry[] = [
  { to: '/', label: 'frame.chat', icon: MessageCircle, group: 'main' },
  { to: '/agents', label: 'frame.agents', icon: Bot, group: 'main' },
  {
    to: '/channels',
    label: 'frame.channels',
    icon: Cable,
    group: 'main',
    feature: 'channels',
    isFor: (account) => may(account, 'channels'),
  },
  {
    to: '/schedules',
    label: 'frame.schedules',
    icon: CalendarClock,
    group: 'main',
    feature: 'schedules',
  },
  { to: '/knowledge', label: 'frame.knowledge', icon: Library, group: 'main', feature: 'knowledge' },
  { to: '/connectors', label: 'frame.connectors', icon: Plug, group: 'main', feature: 'connectors' },
  { to: '/models', label: 'frame.models', icon: Boxes, group: 'main' },
  { to: '/skills', label: 'frame.skills', icon: BookOpenText, group: 'main', feature: 'skills' },
  { to: '/usage', label: 'frame.usage', icon: ChartColumn, group: 'main', feature: 'usage' },
  {
    to: '/people',
    label: 'frame.people',
    icon: Users,
    group: 'administration',
    feature: 'accounts',
    isFor: managesUsers,
  },
  {
    to: '/invites',
    label: 'frame.invites',
    icon: MailPlus,
    group: 'administration',
    feature: 'invites',
    isFor: managesUsers,
  },
  {
    to: '/sso',
    label: 'frame.sso',
    icon: KeySquare,
    group: 'administration',
    feature: 'sso',
    isFor: managesSso,
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
  { to: '/account', label: 'frame.account', icon: UserRound, group: 'account' },
]

/** True unless an address belongs to a page of the menu that the account cannot use on this server. */
export function useIsOpen(address: string): boolean {
  const menu = useMenu()
  const isWithin = ({ to }: MenuEntry) => to !== '/' && (address === to || address.startsWith(`${to}/`))
  return !MENU.some(isWithin) || menu.some(isWithin)
}

/** Returns the pages that an account can use on this server, in the order of the menu. */
export function useMenu(): MenuEntry[] {
  const account = useAccount()
  const { features } = useFacts()
  return MENU.filter(
    ({ feature, isFor }) => (feature === undefined || features[feature]) && (isFor?.(account) ?? true),
  )
}
