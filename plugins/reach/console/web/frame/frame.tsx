import { ActionIcon } from '@mantine/core'
import { useDisclosure, useHotkeys, useLocalStorage } from '@mantine/hooks'
import { Link, Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react'
import { togglePanel } from '../chat/files/open-file.ts'
import { t } from '../i18n/words.ts'
import { Menu, MessageCirclePlus, PanelLeft } from '../ui/icons.ts'
import { PHONE_BAR, useIsPhone } from '../ui/phone-bar.tsx'
import { Toast } from '../ui/toast.tsx'
import { dialog, showDialog } from './dialogs.ts'
import classes from './frame.module.css'
import { noteLastPlace } from './last-place.ts'
import { usePageAccess } from './menu.ts'
import { NotFound } from './not-found.tsx'
import { Palette } from './palette.tsx'
import { useIsSettings } from './settings-groups.ts'
import { SettingsRail } from './settings-rail.tsx'
import { Sidebar } from './sidebar.tsx'

/** The frame of all pages: the column at the left, on phones in a drawer, and the page. */
export function Frame() {
  const isPhone = useIsPhone()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const address = useLocation({ select: ({ href }) => href })
  const access = usePageAccess(path)
  const isSettings = useIsSettings(path)
  const { agent } = useParams({ strict: false })
  const [isMenuOpen, menu] = useDisclosure()
  const [isShown, setShown] = useLocalStorage({
    key: 'svc.menu',
    defaultValue: true,
    getInitialValueInEffect: false,
  })
  useEffect(() => {
    if (!isSettings) noteLastPlace(address)
  }, [isSettings, address])
  const toggle = () => (isPhone ? menu.toggle() : setShown(!isShown))
  const Column = isSettings ? SettingsRail : Sidebar
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
            <ActionIcon
              component={Link}
              to={agent ? `/chat/${agent}` : '/chat'}
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={t('chat.new_thread')}
              title={t('chat.new_thread')}
            >
              <MessageCirclePlus size={20} aria-hidden />
            </ActionIcon>
          </header>
          <Suspense>
            <PhoneDrawer isOpen={isMenuOpen} onClose={menu.close}>
              <Column onLeave={menu.close} />
            </PhoneDrawer>
          </Suspense>
        </>
      ) : (
        <aside className={classes.side} data-folded={!isShown}>
          {isShown ? (
            <Column />
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
        <Suspense>{access.state === 'open' ? <Outlet /> : <NotFound {...access} />}</Suspense>
      </div>
      <Toast />
    </div>
  )
}

const PhoneDrawer = lazy(() => import('./phone-drawer.tsx'))
const ShortcutList = lazy(() => import('./shortcut-list.tsx'))

/** The keys that work on every page, and the dialogs that they open. */
function Shortcuts({ onToggleMenu }: { onToggleMenu(): void }) {
  const shown = useSyncExternalStore(dialog.listen, dialog.read)
  const navigate = useNavigate()
  const close = () => showDialog(undefined)
  // Also while a message is written.
  useHotkeys(
    [
      ['mod+K', () => showDialog('palette')],
      ['mod+/', () => showDialog('keys')],
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
    <>
      {shown === 'palette' && <Palette onClose={close} onShowKeys={() => showDialog('keys')} />}
      <Suspense>{shown === 'keys' && <ShortcutList onClose={close} />}</Suspense>
    </>
  )
}
