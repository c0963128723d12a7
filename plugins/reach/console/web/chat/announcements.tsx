import { VisuallyHidden } from '@mantine/core'
import { useEffect, useState } from 'react'
import { t } from '../i18n/words.ts'
import { readText, type ThreadStore } from './store/thread-store.ts'
import { isForPerson } from './store/thread-view.ts'
import { useThread } from './store/threads.ts'

const MAX_CHARS = 300

/** The running turn of a conversation, and its last one if this page has seen its end. */
interface Progress {
  active?: string | undefined
  ended?: string | undefined
}

/** The progress that was announced of each conversation, also while it is not shown. */
const announced = new WeakMap<ThreadStore, Progress>()

/** Announces finished replies and approvals to screen readers. */
export function Announcements({ store }: { store: ThreadStore }) {
  const active = useThread(store, (view) => view.active)
  const ended = useThread(store, ({ turns }) => {
    const last = turns.at(-1)
    return last?.ended_at === undefined ? undefined : last.id
  })
  const isWaiting = useThread(store, ({ pending }) => pending !== null && isForPerson(pending))
  const [text, setText] = useState('')
  useEffect(() => {
    const previous: Progress = announced.get(store) ?? {}
    announced.set(store, { active, ended })
    // A whole turn may come within one display frame, and the end of one may have been missed.
    const isNewEnd = ended !== undefined && ended !== previous.ended
    const hasEnded = active === undefined && (previous.active !== undefined || isNewEnd)
    if (isWaiting) setText(t('approvals.announced'))
    else if (hasEnded) void announceAnswer(store, setText)
    // The same words are announced again.
    else setText('')
  }, [active, ended, isWaiting, store])
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {text}
    </VisuallyHidden>
  )
}

/** Announces the beginning of the last answer in words. */
async function announceAnswer(store: ThreadStore, announce: (text: string) => void) {
  const answer = store
    .read()
    .turns.at(-1)
    ?.messages.findLast(({ role }) => role === 'assistant')
  if (!answer) return
  const { toSpokenText } = await import('./markdown/spoken-text.ts')
  announce(toSpokenText(readText(answer.content), MAX_CHARS))
}
