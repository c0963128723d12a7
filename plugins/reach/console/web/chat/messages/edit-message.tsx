import { Button, Group, Textarea } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { t } from '../../i18n/words.ts'
import { draftOf } from '../composer/draft.ts'
import { MessageFiles } from '../files/message-files.tsx'
import { readFiles, readText, type ThreadStore } from '../store/thread-store.ts'
import type { Message } from '../store/thread-view.ts'
import { useThread } from '../store/threads.ts'
import classes from './edit-message.module.css'

interface Props {
  message: Message
  store: ThreadStore
  onClose(): void
}

/** Edits a message of the user in its place, and sends it as a new version with the same files. */
export default function EditMessage({ message, store, onClose }: Props) {
  const [text, setText] = useState(() => readText(message.content))
  const files = readFiles(message.content)
  const hasActed = useThread(store, ({ turns }) => callsFollow(turns, message.id))
  const canSend = text.trim() !== '' || files.length > 0
  const send = () => {
    if (!canSend) return
    const words = text.trim() === '' ? [] : [{ type: 'text' as const, text }]
    const { settings } = draftOf(store.thread_id).read()
    void store.send([...words, ...files], { ...settings, replaces: message.id })
    onClose()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      send()
    } else return
    event.stopPropagation()
  }
  return (
    <div className={classes.editor}>
      <MessageFiles agent_id={store.agent_id} files={files} size="small" align="end" />
      <Textarea
        aria-label={t('chat.edit_message')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        autosize
        maxRows={16}
        autoFocus
        // Without it, the caret would be before the text.
        onFocus={({ currentTarget }) => currentTarget.setSelectionRange(text.length, text.length)}
      />
      {hasActed && <p className={classes.note}>{t('chat.effects_stay')}</p>}
      <Group gap="xs" justify="flex-end">
        <Button size="compact-sm" variant="subtle" color="gray" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button size="compact-sm" disabled={!canSend} onClick={send}>
          {t('chat.send')}
        </Button>
      </Group>
    </div>
  )
}

/** True if tools were called in the turn of a message or after it. */
function callsFollow(turns: readonly { messages: readonly Message[] }[], message_id: string): boolean {
  const messages = turns.flatMap((turn) => turn.messages)
  const first = messages.findIndex(({ id }) => id === message_id)
  return messages.slice(first).some(({ content }) => content.some(({ type }) => type === 'tool_use'))
}
