import { useHotkeys } from '@mantine/hooks'
import { panel, togglePanel } from './files/open-file.ts'
import type { ThreadStore } from './store/thread-store.ts'

/** Fields that use the key themselves. */
const FIELDS = ['INPUT', 'SELECT']

/** Has `Esc` close the panel, or else stop the agent, unless a dialog or menu has the focus. */
export function useEscape(store: ThreadStore | undefined) {
  const leave = ({ target }: KeyboardEvent) => {
    if ((target as Element).closest('[role=dialog], [role=menu]')) return
    if (panel.latest().isOpen) return togglePanel()
    const { active, pending } = store?.read() ?? {}
    if (active && !pending) store?.stop()
  }
  useHotkeys([['Escape', leave, { preventDefault: false }]], FIELDS)
}
