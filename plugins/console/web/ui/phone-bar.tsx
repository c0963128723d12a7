import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'

/** The id of the place in the bar of phones that is for the page. */
export const PHONE_BAR = 'phone-bar'

/** True on screens that have one bar for the menu and the page. */
export const useIsPhone = () =>
  useMediaQuery('(max-width: 640px)', undefined, { getInitialValueInEffect: false })

/** Moves the title of a page into the bar of phones. */
export function PhoneBar({ children }: { children: ReactNode }) {
  const bar = useIsPhone() && document.getElementById(PHONE_BAR)
  return bar ? createPortal(children, bar) : children
}
