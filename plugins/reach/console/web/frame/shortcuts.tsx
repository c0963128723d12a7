import { useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { togglePanel } from '../chat/files/open-file.ts'

const Palette = lazy(() => import('./palette.tsx'))
const ShortcutList = lazy(() => import('./shortcut-list.tsx'))

/** The keys that work on every page, and the dialogs that they open. */
export function Shortcuts({ onToggleMenu }: { onToggleMenu(): void }) {
  const [dialog, setDialog] = useState<'palette' | 'list'>()
  const navigate = useNavigate()
  const close = () => setDialog(undefined)
  // Also while a message is written.
  useHotkeys(
    [
      ['mod+K', () => setDialog('palette')],
      ['mod+/', () => setDialog('list')],
      ['mod+N', () => void navigate({ to: '/' })],
      ['alt+N', () => void navigate({ to: '/' })],
    ],
    [],
  )
  useHotkeys([
    ['[', onToggleMenu],
    [']', togglePanel],
  ])
  return (
    <Suspense>
      {dialog === 'palette' && <Palette onClose={close} onShowKeys={() => setDialog('list')} />}
      {dialog === 'list' && <ShortcutList onClose={close} />}
    </Suspense>
  )
}
