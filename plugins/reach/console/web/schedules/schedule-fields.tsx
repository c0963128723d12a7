import { Input, SegmentedControl, Textarea, TextInput } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { ModelSelect } from '../models/model-select.tsx'
import { useFacts } from '../server/facts.ts'
import { may, useAccount } from '../session/account.ts'
import { useIssue } from '../ui/issues.tsx'
import { SourceSelect } from '../ui/source-select.tsx'
import { Destination } from './destination.tsx'
import { NextTimes } from './next-times.tsx'
import { writeRule } from './rule.ts'
import { RuleFields } from './rule-fields.tsx'
import { nameFrom, type ScheduleValues } from './schedule-form.ts'

interface Props {
  agent: { id: string; is_owner: boolean }
  values: ScheduleValues
  onChange(changes: Partial<ScheduleValues>): void
}

/** The fields of a schedule: what is done, when, and where the answers go. */
export function ScheduleFields({ agent, values, onChange }: Props) {
  const account = useAccount()
  const { features } = useFacts()
  const canDeliver = agent.is_owner && features.channels && may(account, 'channels')
  return (
    <>
      <Textarea
        label={t('schedules.prompt')}
        required
        data-autofocus
        description={t('schedules.prompt_help')}
        autosize
        minRows={3}
        maxRows={12}
        maxLength={20_000}
        error={useIssue('/prompt')}
        value={values.prompt}
        onChange={(event) => onChange({ prompt: event.currentTarget.value })}
      />
      <TextInput
        label={t('schedules.name')}
        description={t('schedules.name_help')}
        placeholder={nameFrom(values.prompt)}
        maxLength={100}
        error={useIssue('/name')}
        value={values.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        autoComplete="off"
      />
      <RuleFields rule={values.rule} onChange={(rule) => onChange({ rule })} />
      <NextTimes agentId={agent.id} rule={writeRule(values.rule)} />
      <Input.Wrapper
        label={t('schedules.thread')}
        description={t(`schedules.thread_${values.thread}_help`)}
        labelElement="div"
      >
        <SegmentedControl
          display="flex"
          w="fit-content"
          mt={4}
          aria-label={t('schedules.thread')}
          value={values.thread}
          data={(['new', 'same'] as const).map((value) => ({ value, label: t(`schedules.thread_${value}`) }))}
          onChange={(thread) => onChange({ thread: thread as ScheduleValues['thread'] })}
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
      {features.knowledge && (
        <SourceSelect
          field="knowledge_base_ids"
          description={t('schedules.sources_help')}
          value={values.knowledge_base_ids}
          onChange={(knowledge_base_ids) => onChange({ knowledge_base_ids })}
        />
      )}
      {features.connectors && (
        <SourceSelect
          field="connector_ids"
          description={t('schedules.sources_help')}
          value={values.connector_ids}
          onChange={(connector_ids) => onChange({ connector_ids })}
        />
      )}
      {canDeliver && (
        <Destination
          agentId={agent.id}
          value={values.deliver}
          onChange={(deliver) => onChange({ deliver })}
        />
      )}
    </>
  )
}
