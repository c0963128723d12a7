import { ActionIcon, Button } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { createPublisher } from '../chat/store/publisher.ts'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { X } from './icons.ts'
import classes from './toast.module.css'

/** A line about something that was done, which leaves by itself. */
interface Note {
  id: number
  text: string
  /** Takes back what was done. */
  onUndo?: (() => Promise<unknown>) | undefined
}

/** The time that a note is shown, unless it is pointed at or has the focus. */
const SHOWN_MS = 8_000

const latest = createPublisher<Note | undefined>(undefined)
let count = 0

/** Says that something was done, with a way to undo it; it takes the place of the note before. */
export function showToast(text: string, onUndo?: () => Promise<unknown>): void {
  count += 1
  const id = count
  latest.update(() => ({ id, text, onUndo }))
}

const hide = (id: number) => latest.update((note) => (note?.id === id ? undefined : note))

/** The note that is shown at the moment, at the top of the page. */
export function Toast() {
  const note = useSyncExternalStore(latest.listen, latest.read)
  const [isKept, setKept] = useState(false)
  const keep = () => setKept(true)
  const release = () => setKept(false)
  // The region exists before its text, so that screen readers announce it.
  return (
    <div
      className={classes.place}
      role="status"
      onPointerEnter={keep}
      onPointerLeave={release}
      onFocus={keep}
      onBlur={release}
    >
      {note && <Line key={note.id} note={note} isKept={isKept} />}
    </div>
  )
}

function Line({ note: { id, text, onUndo }, isKept }: { note: Note; isKept: boolean }) {
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    if (isKept || isBusy) return
    const timer = setTimeout(() => hide(id), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [id, isKept, isBusy])

  const undo = async () => {
    setBusy(true)
    await onUndo?.().then(
      () => hide(id),
      (error) => showToast(readFailure(error).message),
    )
  }
  return (
    <div className={classes.line}>
      <span className={classes.text}>{text}</span>
      {onUndo && (
        <Button size="compact-sm" variant="subtle" loading={isBusy} onClick={() => void undo()}>
          {t('common.undo')}
        </Button>
      )}
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={t('common.close')}
        onClick={() => hide(id)}
      >
        <X size={14} aria-hidden />
      </ActionIcon>
    </div>
  )
}
