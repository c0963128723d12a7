import { ActionIcon } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { withPageWords } from '../i18n/load.ts'
import { t } from '../i18n/words.ts'
import { useFacts } from '../server/facts.ts'
import { Link2 } from '../ui/icons.ts'

const ShareSheet = lazy(withPageWords(() => import('./share-sheet.tsx')))

interface Props {
  agent_id: string
  thread_id: string
}

/** Opens the sheet that shares a conversation. */
export function ShareButton({ agent_id, thread_id }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { features } = useFacts()
  if (!features.shares) return null
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={28}
        onClick={() => setOpen(true)}
        aria-label={t('chat.share')}
        title={t('chat.share')}
      >
        <Link2 size={18} aria-hidden />
      </ActionIcon>
      {isOpen && (
        <Suspense>
          <ShareSheet agent_id={agent_id} thread_id={thread_id} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
