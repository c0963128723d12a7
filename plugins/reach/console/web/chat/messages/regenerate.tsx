import { ActionIcon, Popover } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { t } from '../../i18n/words.ts'
import { ChevronDown, RotateCcw } from '../../ui/icons.ts'
import { Loading } from '../../ui/pending.tsx'
import type { ThreadStore } from '../store/thread-store.ts'
import { useThread } from '../store/threads.ts'

const ModelList = lazy(() => import('../composer/model-list.tsx'))

interface Props {
  store: ThreadStore
  /** The answer. */
  message_id: string
}

/** Has an answer written anew, by another model too. */
export function Regenerate({ store, message_id }: Props) {
  const [isOpen, setOpen] = useState(false)
  const isRunning = useThread(store, ({ active }) => active !== undefined)
  if (isRunning) return null
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        onClick={() => void store.regenerate(message_id)}
        aria-label={t('chat.regenerate')}
        title={t('chat.regenerate')}
      >
        <RotateCcw size={14} aria-hidden />
      </ActionIcon>
      <Popover opened={isOpen} onChange={setOpen} position="top-start" trapFocus returnFocus shadow="md">
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            ml={-6}
            onClick={() => setOpen(!isOpen)}
            aria-label={t('chat.regenerate_with')}
            title={t('chat.regenerate_with')}
          >
            <ChevronDown size={12} aria-hidden />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown p={8} w={340} maw="calc(100vw - 16px)" aria-label={t('chat.regenerate_with')}>
          <Suspense fallback={<Loading height={120} />}>
            <ModelList
              value={null}
              onChoose={(model) => {
                setOpen(false)
                if (model) void store.regenerate(message_id, { model })
              }}
            />
          </Suspense>
        </Popover.Dropdown>
      </Popover>
    </>
  )
}
