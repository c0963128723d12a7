import { useHotkeys } from '@mantine/hooks'
import type { Virtualizer } from '@tanstack/react-virtual'
import type { RefObject } from 'react'

/** The display frames within which a message that was scrolled to is rendered. */
const MAX_FRAMES = 20

/** Moves the focus between the turns of a thread by `J` and `K`, also to those that are not rendered. */
export function useMessageKeys(
  scroller: RefObject<HTMLDivElement | null>,
  virtual: Virtualizer<HTMLDivElement, Element>,
) {
  const find = (index: number) => scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
  const focus = (index: number, frames = MAX_FRAMES) => {
    const row = find(index)
    if (row) row.focus({ preventScroll: true })
    else if (frames > 0) requestAnimationFrame(() => focus(index, frames - 1))
  }
  const move = (step: number) => {
    const { count } = virtual.options
    if (count === 0) return
    const focused = document.activeElement?.closest<HTMLElement>('[data-index]')?.dataset.index
    // Without a focus one begins at the end of what is in view.
    const from =
      focused === undefined ? (virtual.range?.endIndex ?? count - 1) + (step < 0 ? 1 : 0) : Number(focused)
    const index = Math.min(Math.max(from + step, 0), count - 1)
    virtual.scrollToIndex(index, { align: 'start' })
    focus(index)
  }
  useHotkeys([
    ['J', () => move(1)],
    ['K', () => move(-1)],
  ])
}
