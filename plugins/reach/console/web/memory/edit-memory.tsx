import { Button, Group, Textarea } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { useAction } from '../ui/use-action.ts'
import classes from './edit-memory.module.css'
import { changeMemory, MAX_CHARS, type Memory } from './memories.ts'

interface Props {
  memory: Memory
  onClose(): void
}

/** Edits the text of a memory in its place in the list. */
export function EditMemory({ memory: { id, text: stored }, onClose }: Props) {
  const [text, setText] = useState(stored)
  const { isBusy, error, run } = useAction()
  const canSave = text.trim() !== '' && text.trim() !== stored
  const save = () =>
    run(async () => {
      if (canSave) await changeMemory(id, text.trim())
      onClose()
    })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter') {
      // A memory is one line.
      event.preventDefault()
      if (text.trim() !== '') void save()
    } else return
    event.stopPropagation()
  }
  return (
    <li className={classes.editor}>
      <Textarea
        aria-label={t('memory.text')}
        value={text}
        maxLength={MAX_CHARS}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        error={error !== undefined && readFailure(error).message}
        autosize
        autoFocus
        // Without it, the caret would be before the text.
        onFocus={({ currentTarget }) => currentTarget.setSelectionRange(text.length, text.length)}
      />
      <Group gap="xs" justify="flex-end">
        <Button size="xs" variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button size="xs" loading={isBusy} disabled={!canSave} onClick={() => void save()}>
          {t('common.save')}
        </Button>
      </Group>
    </li>
  )
}
