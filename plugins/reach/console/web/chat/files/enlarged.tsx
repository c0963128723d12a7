import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../i18n/words.ts'

interface Props {
  name: string
  children: ReactNode
  onClose(): void
}

/** A picture in full size, above the page. */
export default function Enlarged({ name, children, onClose }: Props) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={name}
      size="auto"
      centered
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {children}
    </Modal>
  )
}
