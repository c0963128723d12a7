import { Button, Group, Textarea } from '@mantine/core'
import { type KeyboardEvent, useRef, useState } from 'react'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { useAction } from '../ui/use-action.ts'
import classes from './edit-memory.module.css'
import { changeMemory, MAX_CHARS, type Memory } from './memories.ts'

interface Props {
  memory: Memory
  /** `hasFocus` is false if the focus moved to something else while the text was being saved. */
  onClose(hasFocus: boolean): void
}

/** Edits the text of a memory in its place in the list. */
export function EditMemory({ memory: { id, text: stored }, onClose }: Props) {
  const [text, setText] = useState(stored)
  const { isBusy, error, run } = useAction()
  const editor = useRef<HTMLLIElement>(null)
  const close = () => {
    const { activeElement, body } = document
    // A button that is disabled while it works loses the focus to the body.
    onClose(activeElement === body || Boolean(editor.current?.contains(activeElement)))
  }
  const canSave = text.trim() !== '' && text.trim() !== stored
  const save = () =>
    run(async () => {
      if (canSave) await changeMemory(id, text.trim())
      close()
    })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') close()
    else if (event.key === 'Enter') {
      // A memory is one line.
      event.preventDefault()
      if (text.trim() !== '') void save()
    } else return
    event.stopPropagation()
  }
  return (
    <li ref={editor} className={classes.editor}>
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
        <Button size="xs" variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        <Button size="xs" loading={isBusy} disabled={!canSave} onClick={() => void save()}>
          {t('common.save')}
        </Button>
      </Group>
    </li>
  )
}
