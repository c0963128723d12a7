import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { sendTagged } from '../server/send.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { listChanges, useDraft } from '../ui/draft.ts'
import { EditSheet } from '../ui/edit-sheet.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { PromptFields } from './prompt-fields.tsx'
import { PromptPreview } from './prompt-preview.tsx'
import { changePrompt, createPrompt, NEW_PROMPT, type PromptValues, valuesOf } from './prompts.ts'
import type { Prompt } from './use-prompts.ts'

const isComplete = ({ name, text }: PromptValues) => name !== '' && text.trim() !== ''

interface NewPromptProps {
  /** The text that it begins with. */
  text?: string
  onClose(): void
}

/** Saves a new prompt. */
export default function NewPrompt({ text = '', onClose }: NewPromptProps) {
  const draft = useDraft({ ...NEW_PROMPT, text })
  return (
    <Sheet
      title={t('prompts.new')}
      isDirty={draft.isDirty}
      canSave={isComplete(draft.value)}
      onSave={() => createPrompt(draft.value)}
      onClose={onClose}
    >
      <PromptFields values={draft.value} onChange={draft.change} />
    </Sheet>
  )
}

interface Props {
  prompt: Prompt
  onClose(): void
}

/** Changes a prompt, as it is stored now. */
export function EditPrompt({ prompt: { id, name }, onClose }: Props) {
  return (
    <EditSheet
      title={t('prompts.edit', { name })}
      id={id}
      read={() => sendTagged(client.GET('/prompts/{id}', { params: { path: { id } } }))}
      valuesOf={({ data }) => valuesOf(data)}
      save={({ tag }, base, values) => changePrompt(id, listChanges(base, values), tag)}
      isComplete={isComplete}
      onClose={onClose}
    >
      {(values, onChange) => <PromptFields values={values} onChange={onChange} />}
    </EditSheet>
  )
}

/** Shows a prompt that somebody else shares, and copies it. */
export function ViewPrompt({ prompt: { name, text, owner }, onClose }: Props) {
  const [isCopying, setCopying] = useState(false)
  if (isCopying) return <NewPrompt text={text} onClose={onClose} />
  return (
    <Sheet
      title={`/${name}`}
      aside={
        <Button variant="subtle" onClick={() => setCopying(true)}>
          {t('prompts.copy')}
        </Button>
      }
      onClose={onClose}
    >
      <div>{t('prompts.shared_by', { owner })}</div>
      <PromptPreview text={text} />
      <CopyButton text={text} />
    </Sheet>
  )
}
