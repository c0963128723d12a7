import { ActionIcon, VisuallyHidden } from '@mantine/core'
import { t } from '../../i18n/words.ts'
import { Failure } from '../../ui/failure.tsx'
import { ChevronRight } from '../../ui/icons.ts'
import { useAction } from '../../ui/use-action.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import { useThread } from '../store/threads.ts'
import classes from './versions.module.css'

interface Props {
  store: ThreadStore
  /** The version that is shown. */
  message_id: string
  /** The ids of all versions, oldest first. */
  versions: readonly string[] | undefined
}

/** Chooses one of the versions of a message. */
export function Versions({ store, message_id, versions = [] }: Props) {
  const { isBusy, error, run } = useAction()
  const isRunning = useThread(store, ({ active }) => active !== undefined)
  const index = versions.indexOf(message_id)
  if (versions.length < 2 || index < 0) return null
  const step = (label: string, to: string | undefined, direction: 'back' | 'on') => (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={label}
      title={label}
      disabled={to === undefined || isBusy || isRunning}
      onClick={() => void (to && run(() => store.choose(to)))}
    >
      <ChevronRight size={14} aria-hidden className={classes[direction]} />
    </ActionIcon>
  )
  return (
    <span className={classes.versions}>
      {step(t('chat.previous_version'), versions[index - 1], 'back')}
      <span aria-hidden>
        {index + 1}/{versions.length}
      </span>
      <VisuallyHidden>{t('chat.version', { number: index + 1, count: versions.length })}</VisuallyHidden>
      {step(t('chat.next_version'), versions[index + 1], 'on')}
      {error !== undefined && <Failure error={error} />}
    </span>
  )
}
