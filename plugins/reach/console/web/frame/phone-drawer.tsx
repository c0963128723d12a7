import { Drawer } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { t } from '../i18n/words.ts'
import classes from './phone-drawer.module.css'

interface Props {
  isOpen: boolean
  onClose(): void
  children: ReactNode
}

/** The drawer that has the column of the frame on phones. */
export default function PhoneDrawer({ isOpen, onClose, children }: Props) {
  const column = useRef<HTMLDivElement>(null)
  // The trap of the drawer finds nothing to focus if the column comes late.
  const takeFocus = () => {
    if (!column.current?.contains(document.activeElement)) column.current?.focus()
  }
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      onEnterTransitionEnd={takeFocus}
      size={300}
      padding={0}
      withCloseButton={false}
      title={t('frame.menu')}
      styles={{
        header: { display: 'none' },
        content: { background: 'var(--sunken)' },
        body: { height: '100%' },
      }}
    >
      <div ref={column} tabIndex={-1} className={classes.column}>
        {children}
      </div>
    </Drawer>
  )
}
