import { ActionIcon, Button } from '@mantine/core'
import { t } from '../../i18n/words.ts'
import { Failure } from '../../ui/failure.tsx'
import { X } from '../../ui/icons.ts'
import { readText, type ThreadStore } from '../store/thread-store.ts'
import { useThread } from '../store/threads.ts'
import classes from './user-message.module.css'

/** The messages that wait for their turn, and those that are on their way. */
export function Waiting({ store }: { store: ThreadStore }) {
  const queued = useThread(store, (view) => view.queued)
  const outgoing = useThread(store, (view) => view.outgoing)
  return (
    <>
      {queued.map(({ queue_id, text }, index) => (
        <div key={queue_id} className={classes.line}>
          <div className={classes.bubble} data-state="waiting">
            {text}
          </div>
          <span className={classes.note}>
            {t('chat.waits', { place: index + 1 })}
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t('chat.take_back')}
              title={t('chat.take_back')}
              onClick={() => store.unqueue(queue_id)}
            >
              <X size={14} aria-hidden />
            </ActionIcon>
          </span>
        </div>
      ))}
      {outgoing.map(({ client_message_id, content, error }) => (
        <div key={client_message_id} className={classes.line}>
          <div className={classes.bubble} data-state="waiting">
            {readText(content)}
          </div>
          {error && (
            <div className={classes.failure}>
              <Failure
                error={error}
                onRetry={() => {
                  store.dismiss(client_message_id)
                  void store.send(content)
                }}
              />
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                onClick={() => store.dismiss(client_message_id)}
              >
                {t('chat.discard')}
              </Button>
            </div>
          )}
        </div>
      ))}
    </>
  )
}
