import { VisuallyHidden } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { t } from '../i18n/words.ts'
import { readText, type ThreadStore } from './store/thread-store.ts'
import { isForPerson } from './store/thread-view.ts'
import { useThread } from './store/threads.ts'

const MAX_CHARS = 300

/** Announces finished replies and approvals to screen readers. */
export function Announcements({ store }: { store: ThreadStore }) {
  const active = useThread(store, (view) => view.active)
  const isWaiting = useThread(store, ({ pending }) => pending !== null && isForPerson(pending))
  const [text, setText] = useState('')
  const last = useRef(active)
  useEffect(() => {
    if (isWaiting) setText(t('approvals.announced'))
    else if (last.current !== undefined && active === undefined) {
      const answer = store
        .read()
        .turns.at(-1)
        ?.messages.findLast(({ role }) => role === 'assistant')
      setText(answer ? readText(answer.content).slice(0, MAX_CHARS) : '')
    }
    last.current = active
  }, [active, isWaiting, store])
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {text}
    </VisuallyHidden>
  )
}
