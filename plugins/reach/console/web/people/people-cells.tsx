import type { components } from '#client'
import { EVERYONE, groupNameOf } from '../groups/group.ts'
import { formatCompact, formatMoney } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import type { Account } from '../session/account.ts'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { Chips } from './chips.tsx'
import { canChange, type Person } from './person.ts'

/** True if the caller can change an account together with others. Nobody disables or deletes themselves. */
export const isSelectable = (account: Account, person: Person) =>
  person.id !== account.id && canChange(account, person)

/** The groups of an account; the one that everybody is in says nothing. */
export const GroupChips = ({ person: { groups } }: { person: Person }) => (
  <Chips names={groups.filter(({ id }) => id !== EVERYONE).map(groupNameOf)} max={2} />
)

/** The time of the last request of an account. */
export const LastSeen = ({ person: { last_seen } }: { person: Person }) =>
  last_seen === null ? t('people.never') : <Time at={last_seen} />

/** The state of an account that is not in use; nothing for most accounts. */
export function PersonState({ person }: { person: Person }) {
  const { enabled, login_locked, last_seen, must_change_password } = person
  if (!enabled) return <State tone="off">{t('people.disabled')}</State>
  if (login_locked) return <State tone="failed">{t('people.locked')}</State>
  if (last_seen === null) return <State tone="off">{t('people.no_sign_in')}</State>
  if (must_change_password) return <State tone="waiting">{t('people.must_change')}</State>
  return null
}

type AccountUsage = components['schemas']['AccountUsage']

/** The tokens that an account used in the last 30 days, and their cost. */
export const Usage = ({ of: { total_tokens, cost } }: { of: AccountUsage }) =>
  [formatCompact(total_tokens), cost && formatMoney(cost.amount, cost.currency)].filter(Boolean).join(' · ')
