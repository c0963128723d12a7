import {
  Activity,
  BookOpenText,
  Bot,
  Boxes,
  Cable,
  ChartColumn,
  KeySquare,
  type LucideIcon,
  MailPlus,
  MessageCircle,
  ScrollText,
  UserRound,
  Users,
} from 'lucide-react'
import type { WordKey } from '../i18n/words.ts'
import type { router } from '../routes.tsx'
import { type Account, may } from '../session/account.ts'

/** A page that the menu and the palette lead to. */
export interface MenuEntry {
  to: Exclude<keyof (typeof router)['routesByPath'], `${string}/$${string}`>
  label: WordKey
  icon: LucideIcon
  group: 'main' | 'administration' | 'account'
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
    isFor: (account) => may(account, 'channels'),
  },
  { to: '/models', label: 'frame.models', icon: Boxes, group: 'main' },
  { to: '/skills', label: 'frame.skills', icon: BookOpenText, group: 'main' },
  { to: '/usage', label: 'frame.usage', icon: ChartColumn, group: 'main' },
  { to: '/people', label: 'frame.people', icon: Users, group: 'administration', isFor: managesUsers },
  { to: '/invites', label: 'frame.invites', icon: MailPlus, group: 'administration', isFor: managesUsers },
  { to: '/sso', label: 'frame.sso', icon: KeySquare, group: 'administration', isFor: managesSso },
  { to: '/audit', label: 'frame.audit', icon: ScrollText, group: 'administration', isFor: isAdmin },
  { to: '/overview', label: 'frame.overview', icon: Activity, group: 'administration', isFor: isAdmin },
  { to: '/account', label: 'frame.account', icon: UserRound, group: 'account' },
]

/** The pages that an account can use, in the order of the menu. */
export const listMenu = (account: Account) => MENU.filter(({ isFor }) => isFor?.(account) ?? true)
