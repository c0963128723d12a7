import { ActionIcon } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { ThreadRow } from '../chat/thread-list.ts'
import { t } from '../i18n/words.ts'
import { Ellipsis } from '../ui/icons.ts'

const ThreadMenu = lazy(() => import('../chat/thread-menu.tsx'))

interface Props {
  row: ThreadRow
  title: string
  /** The name of the button. */
  label?: string
  className?: string | undefined
  size?: number
}

/** The menu of a conversation, which is a mere button until it is first opened: a list has hundreds of them. */
export function LazyThreadMenu({ row, title, label = t('chat.thread_menu'), className, size = 28 }: Props) {
  const [isUsed, setUsed] = useState(false)
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={size}
      className={className}
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={isUsed}
      onClick={() => setUsed(true)}
    >
      <Ellipsis size={size > 24 ? 18 : 16} aria-hidden />
    </ActionIcon>
  )
  if (!isUsed) return button
  return (
    <Suspense fallback={button}>
      <ThreadMenu row={row} title={title} label={label} className={className} size={size} />
    </Suspense>
  )
}
