import { ActionIcon, Textarea } from '@mantine/core'
import { ArrowUp, Square } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { InputBlock } from '#client'
import { t } from '../../i18n/words.ts'
import { Failure } from '../../ui/failure.tsx'
import { findQuestion } from '../approvals/decisions.ts'
import type { SendSettings, ThreadStore } from '../store/thread-store.ts'
import { useThread } from '../store/threads.ts'
import type { ListedAgent } from '../use-agent.ts'
import classes from './composer.module.css'
import { draftOf } from './draft.ts'

interface Props {
  agent: ListedAgent
  store: ThreadStore | undefined
  onSend(content: InputBlock[], settings: SendSettings): Promise<void>
}

/** The place to write a message. Enter sends it; while the agent works and nothing is written, the button stops it. */
export function Composer({ agent, store, onSend }: Props) {
  const draft = draftOf(store?.thread_id ?? agent.id)
  const { text, files } = useSyncExternalStore(draft.listen, draft.read)
  const isActive = useThread(store, ({ active }) => active !== undefined)
  const pending = useThread(store, (view) => view.pending)
  const question = findQuestion(pending)
  const [error, setError] = useState<unknown>()
  const field = useRef<HTMLTextAreaElement>(null)
  const isEmpty = text.trim() === '' && files.length === 0

  useEffect(() => field.current?.focus({ preventScroll: true }), [draft])

  const send = async () => {
    if (isEmpty) return
    const forget = draft.take()
    setError(undefined)
    try {
      if (store && pending && question)
        await store.decide(pending.pending_id, [{ type: 'respond', message: text.trim() }])
      else await onSend([...(text.trim() === '' ? [] : [{ type: 'text' as const, text }])], {})
      forget()
    } catch (reason) {
      draft.set({ text, files })
      setError(reason)
    }
  }

  const handleKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void send()
  }

  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {error !== undefined && <Failure error={error} />}
      <Textarea
        ref={field}
        variant="unstyled"
        autosize
        minRows={1}
        maxRows={12}
        aria-label={t('chat.message', { agent: agent.name })}
        placeholder={question?.description.split('\n')[0] ?? t('chat.message', { agent: agent.name })}
        value={text}
        onChange={(event) => draft.set({ text: event.currentTarget.value })}
        onKeyDown={handleKey}
        classNames={{ input: classes.field }}
      />
      <div className={classes.bar}>
        <div className={classes.tools} />
        {isActive && isEmpty ? (
          <ActionIcon
            size={34}
            radius="xl"
            aria-label={t('chat.stop')}
            title={t('chat.stop')}
            onClick={() => store?.stop()}
          >
            <Square size={14} fill="currentColor" aria-hidden />
          </ActionIcon>
        ) : (
          <ActionIcon
            size={34}
            radius="xl"
            type="submit"
            disabled={isEmpty}
            aria-label={t('chat.send')}
            title={t('chat.send')}
          >
            <ArrowUp size={18} aria-hidden />
          </ActionIcon>
        )}
      </div>
    </form>
  )
}
