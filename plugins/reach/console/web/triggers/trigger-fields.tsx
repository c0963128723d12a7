import { Input, SegmentedControl, Select, Textarea, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { ModelSelect } from '../models/model-select.tsx'
import { useIssue } from '../ui/issues.tsx'
import { Secret } from '../ui/secret.tsx'
import { SCHEMES, type Scheme, type TriggerValues } from './trigger-form.ts'

interface Props {
  values: TriggerValues
  /** True if a secret is stored. */
  isStored?: boolean
  onChange(changes: Partial<TriggerValues>): void
}

/** The fields of a trigger: the sender, the message to the agent, and its conversation. */
export function TriggerFields({ values, isStored = false, onChange }: Props) {
  const { scheme } = values
  return (
    <>
      <TextInput
        label={t('triggers.name')}
        placeholder={t('triggers.name_example')}
        required
        withAsterisk={false}
        maxLength={100}
        autoComplete="off"
        error={useIssue('/name')}
        value={values.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        data-autofocus
      />
      <Select
        label={t('triggers.scheme')}
        description={t(`triggers.scheme_${scheme}_help`)}
        data={SCHEMES.map((value) => ({ value, label: t(`triggers.scheme_${value}`) }))}
        allowDeselect={false}
        value={scheme}
        onChange={(chosen) => onChange({ scheme: chosen as Scheme, secret: undefined })}
      />
      {(isStored || scheme === 'stripe') && (
        <Secret
          key={scheme}
          label={t(scheme === 'token' ? 'triggers.token' : 'triggers.secret')}
          description={scheme === 'stripe' ? t('triggers.stripe_secret_help') : undefined}
          isStored={isStored}
          error={useIssue('/verify/secret')}
          value={values.secret}
          onChange={(secret) => onChange({ secret })}
        />
      )}
      <Textarea
        label={t('triggers.prompt')}
        description={t('triggers.prompt_help', { example: '{{issue.title}}', all: '{{.}}' })}
        placeholder={t('triggers.prompt_example', { title: '{{issue.title}}' })}
        required
        withAsterisk={false}
        autosize
        minRows={3}
        maxRows={12}
        maxLength={20_000}
        error={useIssue('/prompt')}
        value={values.prompt}
        onChange={(event) => onChange({ prompt: event.currentTarget.value })}
      />
      <Input.Wrapper
        label={t('triggers.thread')}
        description={t(`triggers.thread_${values.thread}_help`)}
        labelElement="div"
      >
        <SegmentedControl
          display="flex"
          w="fit-content"
          mt={4}
          aria-label={t('triggers.thread')}
          value={values.thread}
          data={(['new', 'same'] as const).map((value) => ({ value, label: t(`triggers.thread_${value}`) }))}
          onChange={(thread) => onChange({ thread: thread as TriggerValues['thread'] })}
        />
      </Input.Wrapper>
      <ModelSelect
        label={t('chat.model')}
        placeholder={t('chat.model_default')}
        clearable
        error={useIssue('/model')}
        value={values.model}
        onChange={(model) => onChange({ model })}
      />
    </>
  )
}
