import { Button } from '@mantine/core'
import { t } from '../../i18n/words.ts'
import { draftOf } from '../composer/draft.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import type { Message } from '../store/thread-view.ts'
import { END_WORDS } from './ends.ts'
import classes from './turn-end.module.css'

/** The ends after which the agent can go on. */
const CAN_CONTINUE = ['length', 'max_steps']

interface Props {
  /** The last reply of its turn. */
  message: Message
  store: ThreadStore
  isLast: boolean
}

/** Shows why an answer is incomplete; the last answer can be continued if a limit ended it. */
export function Ending({ message: { stop_reason: end, status }, store, isLast }: Props) {
  const reason = status === 'stopped' ? 'stopped' : end
  if (reason === undefined || reason === 'end') return null
  const goOn = () => {
    const { settings } = draftOf(store.thread_id).read()
    return store.send([{ type: 'text', text: t('tools.go_on') }], settings)
  }
  return (
    <div className={classes.note}>
      {t(END_WORDS[reason])}
      {isLast && CAN_CONTINUE.includes(reason) && (
        <Button size="compact-xs" variant="default" onClick={() => void goOn()}>
          {t('tools.go_on')}
        </Button>
      )}
    </div>
  )
}
