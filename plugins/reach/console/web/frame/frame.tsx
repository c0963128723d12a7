import { ActionIcon, Drawer } from '@mantine/core'
import { useDisclosure, useHotkeys, useLocalStorage } from '@mantine/hooks'
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { togglePanel } from '../chat/files/open-file.ts'
import { t } from '../i18n/words.ts'
import { Menu, PanelLeft } from '../ui/icons.ts'
import { PHONE_BAR, useIsPhone } from '../ui/phone-bar.tsx'
import classes from './frame.module.css'
import { useIsOpen } from './menu.ts'
import { NotFound } from './not-found.tsx'
import { Sidebar } from './sidebar.tsx'

/** The frame of all pages: the menu at the left, on phones in a drawer, and the page. */
export function Frame() {
  const isPhone = useIsPhone()
  const isOpen = useIsOpen(useLocation({ select: ({ pathname }) => pathname }))
  const [isMenuOpen, menu] = useDisclosure()
  const [isShown, setShown] = useLocalStorage({
    key: 'svc.menu',
    defaultValue: true,
    getInitialValueInEffect: false,
  })
  const toggle = () => (isPhone ? menu.toggle() : setShown(!isShown))
  return (
    <div className={classes.frame}>
      <Shortcuts onToggleMenu={toggle} />
      {isPhone ? (
        <>
          <header className={classes.bar}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              onClick={menu.open}
              aria-label={t('frame.menu')}
            >
              <Menu size={20} />
            </ActionIcon>
            <div id={PHONE_BAR} className={classes.title} />
          </header>
          <Drawer
            opened={isMenuOpen}
            onClose={menu.close}
            size={300}
            padding={0}
            withCloseButton={false}
            title={t('frame.menu')}
            styles={{ header: { display: 'none' }, body: { height: '100%' } }}
          >
            <Sidebar onLeave={menu.close} />
          </Drawer>
        </>
      ) : (
        <aside className={classes.side} data-folded={!isShown}>
          {isShown ? (
            <Sidebar />
          ) : (
            <ActionIcon
              variant="subtle"
              color="gray"
              m={8}
              onClick={toggle}
              aria-label={t('frame.menu')}
              title={t('frame.menu')}
            >
              <PanelLeft size={18} aria-hidden />
            </ActionIcon>
          )}
        </aside>
      )}
      <div className={classes.content}>
        <Suspense>{isOpen ? <Outlet /> : <NotFound />}</Suspense>
      </div>
    </div>
  )
}

const Palette = lazy(() => import('./palette.tsx'))
const ShortcutList = lazy(() => import('./shortcut-list.tsx'))

/** The keys that work on every page, and the dialogs that they open. */
function Shortcuts({ onToggleMenu }: { onToggleMenu(): void }) {
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
