import type { components } from '#client'
import { language } from '../i18n/language.ts'
import { useFacts } from '../server/facts.ts'
import { type Account, may, useAccount } from '../session/account.ts'
import { createIcon, type IconComponent } from '../ui/icon.tsx'
import { Puzzle } from '../ui/icons.ts'

/** Something that a plugin adds to a place of the console. */
export type Slot = components['schemas']['ConsoleSlot']

/** True if an account is offered a slot; pages of administrators are for them unless they name a permission. */
const isFor = (account: Account, { slot, when: { permission } }: Slot) =>
  permission === null ? slot !== 'admin.pages' || account.role === 'admin' : may(account, permission)

/** Returns what plugins add to a place for the account. */
export function useSlots(name: Slot['slot']): Slot[] {
  const account = useAccount()
  return useFacts().slots.filter((slot) => slot.slot === name && isFor(account, slot))
}

/** The words of a slot in a menu, on a tab or above a section. */
export const labelOf = ({ label, plugin }: Slot): string => label?.[language] ?? plugin

const icons = new Map<string, IconComponent>()

/** The icon of a slot. */
export function iconOf({ icon }: Slot): IconComponent {
  if (icon === null) return Puzzle
  if (!icons.has(icon)) icons.set(icon, createIcon(icon))
  return icons.get(icon)!
}

/** A page that a plugin adds. */
export type SlotPage = Slot & { path: string }

/** Returns the pages of plugins that the account is offered: for everybody, or in the settings of administrators. */
export const usePages = (name: 'pages' | 'admin.pages') => useSlots(name) as SlotPage[]

/** True if an address is that of a page, or below it. */
export const isAt = ({ path }: SlotPage, address: string): boolean =>
  address === path || address.startsWith(`${path}/`)
