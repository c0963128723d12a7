import type { KeyboardEvent } from 'react'

const STEPS: Record<string, number> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

/** Moves the focus between the rows of a list by `J`, `K` and the arrows. */
export function moveFocus(event: KeyboardEvent<HTMLElement>, readRows: () => Element[]): void {
  const step = STEPS[event.key]
  const target = event.target as HTMLElement
  if (!step || event.ctrlKey || event.metaKey || event.altKey || /INPUT|TEXTAREA|SELECT/.test(target.tagName))
    return
  const rows = readRows()
  const focusedIndex = rows.findIndex((row) => row.contains(target))
  // Keys in a dialog or menu of a row arrive here as well.
  if (focusedIndex < 0) return
  const next = rows[focusedIndex + step]
  next?.querySelector<HTMLElement>('a, button')?.focus()
  // Keys of the whole page have another meaning.
  event.stopPropagation()
  if (next) event.preventDefault()
}
