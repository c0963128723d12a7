import { ActionIcon } from '@mantine/core'
import { lazy, memo, Suspense, useState } from 'react'
import { SlotPlace } from '../../frame/slot-place.tsx'
import { t } from '../../i18n/words.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Pencil } from '../../ui/icons.ts'
import { SavePrompt } from '../composer/save-prompt.tsx'
import { MessageFiles } from '../files/message-files.tsx'
import { readFiles, readText, type ThreadStore } from '../store/thread-store.ts'
import type { Message } from '../store/thread-view.ts'
import { useThread } from '../store/threads.ts'
import { MessageText } from './message-text.tsx'
import classes from './user-message.module.css'
import { Versions } from './versions.tsx'

const EditMessage = lazy(() => import('./edit-message.tsx'))

interface Props {
  message: Message
  store: ThreadStore
}

/** A message of the user with its files, its versions, and a way to edit it. */
export const UserMessage = memo(function UserMessage({ message, store }: Props) {
  const [isEditing, setEditing] = useState(false)
  const isRunning = useThread(store, ({ active }) => active !== undefined)
  const text = readText(message.content)
  if (isEditing && !isRunning)
    return (
      <div className={classes.line}>
        <Suspense>
          <EditMessage message={message} store={store} onClose={() => setEditing(false)} />
        </Suspense>
      </div>
    )
  return (
    <div className={classes.line}>
      <MessageFiles agent_id={store.agent_id} files={readFiles(message.content)} size="small" align="end" />
      {text && <MessageText text={text} />}
      <div className={classes.actions}>
        <Versions store={store} message_id={message.id} versions={message.versions} />
        {text && <CopyButton text={text} />}
        {text && <SavePrompt text={text} size="sm" iconSize={14} />}
        {!isRunning && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={t('chat.edit_message')}
            title={t('chat.edit_message')}
            onClick={() => setEditing(true)}
          >
            <Pencil size={14} aria-hidden />
          </ActionIcon>
        )}
        <SlotPlace
          name="message.actions"
          author="user"
          agent_id={store.agent_id}
          thread_id={store.thread_id}
          message_id={message.id}
          text={text}
        />
      </div>
    </div>
  )
})
