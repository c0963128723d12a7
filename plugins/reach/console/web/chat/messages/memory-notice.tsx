import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { t } from '../../i18n/words.ts'
import { deleteMemory, keepMemory } from '../../memory/memories.ts'
import { api } from '../../server/client.ts'
import { readFailure } from '../../server/failure.ts'
import { Failure } from '../../ui/failure.tsx'
import { NotebookPen } from '../../ui/icons.ts'
import { useAction } from '../../ui/use-action.ts'
import type { Notice } from '../store/thread-view.ts'
import classes from './memory-notice.module.css'

interface Props {
  /** A notice with the `id` of a memory. */
  notice: Notice
  /** True to lead to the page of all memories. */
  hasLink: boolean
}

/** A line about something that an agent remembers or wants to remember, with the decision of the person. */
export default function MemoryNotice({ notice: { code, message, details }, hasLink }: Props) {
  const id = String(details?.id)
  const isProposal = code === 'MEMORY_PROPOSED'
  const element = useRef<HTMLDivElement>(null)
  const { data, error: missing } = api.useQuery('get', '/memories/{id}', { params: { path: { id } } })
  const { isBusy, error, run } = useAction()
  const isGone = readFailure(missing).code === 'MEMORY_NOT_FOUND'
  const state = isGone ? 'gone' : data?.state
  const decide = (change: (id: string) => Promise<void>) =>
    run(async () => {
      await change(id)
      // The button that had the focus is no longer there.
      element.current?.focus()
    })
  const button = (label: string, change: (id: string) => Promise<void>) => (
    <Button
      size="compact-xs"
      variant="default"
      fw={500}
      // A target of at least 24 pixels.
      h={24}
      disabled={isBusy}
      onClick={() => void decide(change)}
    >
      {label}
    </Button>
  )
  return (
    <>
      <div ref={element} className={classes.notice} role="status" tabIndex={-1}>
        <NotebookPen size={14} aria-hidden />
        <div className={classes.words}>
          <span data-state={state}>{message}</span>
          {state === 'gone' && <span>{t(isProposal ? 'chat.not_remembered' : 'chat.forgotten')}</span>}
          {state === 'kept' && isProposal && <span>{t('chat.remembered')}</span>}
          {state === 'kept' && button(t('common.undo'), deleteMemory)}
          {state === 'proposed' && button(t('chat.remember'), keepMemory)}
          {state === 'proposed' && button(t('chat.dont_remember'), deleteMemory)}
          {hasLink && <Link to="/memory">{t('chat.memories')}</Link>}
        </div>
      </div>
      {error !== undefined && <Failure error={error} />}
    </>
  )
}
