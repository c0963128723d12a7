import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useLayoutEffect, useState } from 'react'
import { createPortal } from 'react-dom'

/** The id of the place in the bar of phones that is for the page. */
export const PHONE_BAR = 'phone-bar'

/** True on screens that have one bar for the menu and the page. */
export const useIsPhone = () =>
  useMediaQuery('(max-width: 640px)', undefined, { getInitialValueInEffect: false })

/** Moves the title of a page into the bar of phones. */
export function PhoneBar({ children }: { children: ReactNode }) {
  const isPhone = useIsPhone()
  const [bar, setBar] = useState<HTMLElement | null>(null)
  // The bar exists only after the first rendering if it comes with the page.
  useLayoutEffect(() => setBar(isPhone ? document.getElementById(PHONE_BAR) : null), [isPhone])
  return bar ? createPortal(children, bar) : children
}
