import { Input, Stack, Textarea, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useIssue } from '../ui/issues.tsx'
import { PromptPreview } from './prompt-preview.tsx'
import type { PromptValues } from './prompts.ts'
import { splitTemplate } from './template.ts'

interface Props {
  values: PromptValues
  onChange(changes: Partial<PromptValues>): void
}

/** The settings of a prompt, with a preview if it has variables. */
export function PromptFields({ values: { name, description, text }, onChange }: Props) {
  const nameIssue = useIssue('/name')
  const textIssue = useIssue('/text')
  const hasVariables = splitTemplate(text).some((part) => 'variable' in part)
  return (
    <>
      <TextInput
        label={t('prompts.name')}
        description={t('prompts.name_about')}
        error={nameIssue}
        leftSection="/"
        required
        maxLength={64}
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        value={name}
        // Spaces end what one types behind the slash.
        onChange={(event) => onChange({ name: event.currentTarget.value.replace(/\s/g, '-') })}
      />
      <TextInput
        label={t('prompts.description')}
        maxLength={500}
        value={description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
      <Textarea
        label={t('prompts.text')}
        description={t('prompts.text_about', { variable: '{{topic}}', date: '{{date}}' })}
        error={textIssue}
        required
        autosize
        minRows={4}
        maxRows={16}
        maxLength={8000}
        dir="auto"
        value={text}
        onChange={(event) => onChange({ text: event.currentTarget.value })}
      />
      {hasVariables && (
        <Stack gap={4} component="section" aria-label={t('prompts.preview')}>
          <Input.Label labelElement="div">{t('prompts.preview')}</Input.Label>
          <PromptPreview text={text} />
        </Stack>
      )}
    </>
  )
}
