import { Checkbox, Select, Stack, TextInput } from '@mantine/core'
import { t, type WordKey } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { useIssue } from '../ui/issues.tsx'
import { EVENTS, type WebhookEvent, type WebhookValues } from './webhook-form.ts'

/** The words of each event. */
export const EVENT_WORDS = {
  'turn.ended': 'webhooks.turn_ended',
  'approval.requested': 'webhooks.approval_requested',
  'schedule.run_ended': 'webhooks.run_ended',
  'channel.state_changed': 'webhooks.channel_changed',
  'budget.warned': 'webhooks.budget_warned',
} as const satisfies Record<WebhookEvent, WordKey>

interface Props {
  values: WebhookValues
  onChange(changes: Partial<WebhookValues>): void
}

/** The fields of a webhook: its address, its events, and the agent that they are about. */
export function WebhookFields({ values, onChange }: Props) {
  const agents = useRows('/agents', { query: { limit: 200 } })
  return (
    <>
      <TextInput
        label={t('webhooks.url')}
        description={t('webhooks.url_help')}
        placeholder="https://hooks.example.com/svc"
        required
        withAsterisk={false}
        type="url"
        maxLength={2048}
        autoComplete="off"
        error={useIssue('/url')}
        value={values.url}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
        data-autofocus
      />
      <Checkbox.Group
        label={t('webhooks.events')}
        value={values.events}
        error={useIssue('/events')}
        onChange={(events) => onChange({ events: EVENTS.filter((name) => events.includes(name)) })}
      >
        <Stack gap="xs" mt="xs">
          {EVENTS.map((name) => (
            <Checkbox key={name} value={name} label={t(EVENT_WORDS[name])} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Select
        label={t('webhooks.agent')}
        placeholder={t('webhooks.every_agent')}
        data={agents.rows?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        clearable
        searchable
        error={useIssue('/agent_id')}
        value={values.agent_id}
        onChange={(agent_id) => onChange({ agent_id })}
      />
    </>
  )
}
