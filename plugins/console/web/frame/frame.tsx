import { ActionIcon, Drawer } from '@mantine/core'
import { useDisclosure, useMediaQuery } from '@mantine/hooks'
import { Outlet } from '@tanstack/react-router'
import { Menu } from 'lucide-react'
import { Suspense } from 'react'
import { t } from '../i18n/words.ts'
import classes from './frame.module.css'
import { Sidebar } from './sidebar.tsx'

/** The frame of all pages: the menu at the left, on phones in a drawer, and the page. */
export function Frame() {
  const isPhone = useMediaQuery('(max-width: 640px)', undefined, { getInitialValueInEffect: false })
  const [isMenuOpen, menu] = useDisclosure()
  return (
    <div className={classes.frame}>
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
            <div id="phone-title" className={classes.title} />
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
        <aside className={classes.side}>
          <Sidebar />
        </aside>
      )}
      <div className={classes.content}>
        <Suspense>
          <Outlet />
        </Suspense>
      </div>
    </div>
  )
}
