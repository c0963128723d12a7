import { ActionIcon, Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, useEffect, useEffectEvent, useState } from 'react'
import { t } from '../../i18n/words.ts'
import { PromptPreview } from '../../prompts/prompt-preview.tsx'
import { fillTemplate, knownValues, listFields } from '../../prompts/template.ts'
import type { Prompt } from '../../prompts/use-prompts.ts'
import { X } from '../../ui/icons.ts'
import classes from './fill-prompt.module.css'

interface Props {
  prompt: Prompt
  onInsert(text: string): void
  onClose(): void
}

/** Inserts a saved prompt, after its variables were filled in above the composer. */
export default function FillPrompt(props: Props) {
  const { text } = props.prompt
  const isReady = listFields(text).length === 0
  const insert = useEffectEvent(() => props.onInsert(fillTemplate(text, knownValues())))
  useEffect(() => {
    if (isReady) insert()
  }, [isReady])
  return isReady ? null : <Fields {...props} />
}

/** The variables of a prompt as fields. Enter inserts the text, Escape leaves it. */
function Fields({ prompt: { name, text }, onInsert, onClose }: Props) {
  const [values, setValues] = useState<Record<string, string>>({})
  const insert = (event: FormEvent) => {
    event.preventDefault()
    onInsert(fillTemplate(text, { ...values, ...knownValues() }))
  }
  const handleKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    onClose()
  }
  return (
    <form
      className={classes.panel}
      aria-label={t('prompts.fill', { name })}
      onSubmit={insert}
      onKeyDown={handleKey}
    >
      <Group justify="space-between" wrap="nowrap">
        <b className={classes.name}>/{name}</b>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={t('common.close')} onClick={onClose}>
          <X size={14} aria-hidden />
        </ActionIcon>
      </Group>
      <div className={classes.fields}>
        {listFields(text).map((field, index) => (
          <TextInput
            key={field}
            size="xs"
            dir="auto"
            label={field.replaceAll('_', ' ')}
            maxLength={4000}
            autoFocus={index === 0}
            enterKeyHint="done"
            value={values[field] ?? ''}
            onChange={(event) => {
              const { value } = event.currentTarget
              setValues((all) => ({ ...all, [field]: value }))
            }}
          />
        ))}
      </div>
      <PromptPreview text={text} values={values} />
      <Button type="submit" size="xs" className={classes.insert}>
        {t('prompts.insert')}
      </Button>
    </form>
  )
}
