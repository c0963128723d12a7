import { ActionIcon, Button } from '@mantine/core'
import { t } from '../../i18n/words.ts'
import { X } from '../../ui/icons.ts'
import { ChatFailure } from '../chat-failure.tsx'
import { MessageFiles } from '../files/message-files.tsx'
import type { ChatFile } from '../files/open-file.ts'
import { readFiles, readText, type ThreadStore } from '../store/thread-store.ts'
import { useThread } from '../store/threads.ts'
import { MessageText } from './message-text.tsx'
import classes from './user-message.module.css'

/** The messages that wait for their turn, and those that are on their way. */
export function Waiting({ store }: { store: ThreadStore }) {
  const queued = useThread(store, (view) => view.queued)
  const outgoing = useThread(store, (view) => view.outgoing)
  return (
    <>
      {queued.map(({ queue_id, text, content = [] }, index) => (
        <div key={queue_id} className={classes.line}>
          <Message agent_id={store.agent_id} text={text} files={readFiles(content)} />
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
      {outgoing.map(({ client_message_id, content, error, again }) => (
        <div key={client_message_id} className={classes.line}>
          <Message agent_id={store.agent_id} text={readText(content)} files={readFiles(content)} />
          {!error && content.some(({ type }) => type === 'file') && (
            <span className={classes.note} data-late role="status">
              {t('chat.reading_documents')}
            </span>
          )}
          {error && (
            <div className={classes.failure}>
              <ChatFailure
                error={error}
                onRetry={() => {
                  store.dismiss(client_message_id)
                  again()
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

function Message({ agent_id, text, files }: { agent_id: string; text: string; files: readonly ChatFile[] }) {
  return (
    <>
      <MessageFiles agent_id={agent_id} files={files} size="small" align="end" />
      {text && <MessageText text={text} state="waiting" />}
    </>
  )
}
