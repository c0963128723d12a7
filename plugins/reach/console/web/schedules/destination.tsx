import { Select } from '@mantine/core'
import { formatAge } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { useIssue } from '../ui/issues.tsx'
import type { Destination as Value } from './schedule-form.ts'

interface Props {
  agentId: string
  value: Value | null
  onChange(value: Value | null): void
}

/** The conversation of a channel to which answers are also sent. */
export function Destination({ agentId, value, onChange }: Props) {
  const channels = useRows('/agents/{id}/channels', { path: { id: agentId }, query: { limit: 200 } })
  const cid = value?.channel_id
  const conversations = useRows(
    '/agents/{id}/channels/{cid}/conversations',
    { path: { id: agentId, cid: cid ?? '' }, query: { limit: 100 } },
    { enabled: cid !== undefined },
  )
  const issue = useIssue('/deliver')
  if (channels.rows?.length === 0) return null
  const chosen = value?.conversation_id || null
  const offered = (conversations.rows ?? []).map(({ conversation_id, type, sender, last_message_at }) => ({
    value: conversation_id,
    label: [sender.name ?? sender.id, t(`schedules.conversation_${type}`), formatAge(last_message_at)].join(
      ' · ',
    ),
  }))
  // One that is not among the newest is still shown.
  if (chosen && conversations.rows && !offered.some(({ value }) => value === chosen))
    offered.push({ value: chosen, label: chosen })
  return (
    <>
      <Select
        label={t('schedules.deliver')}
        description={t('schedules.deliver_help')}
        placeholder={t('schedules.deliver_nowhere')}
        data={(channels.rows ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={cid ?? null}
        clearable
        onChange={(id) => onChange(id ? { channel_id: id, conversation_id: '' } : null)}
      />
      {cid && (
        <Select
          label={t('schedules.conversation')}
          placeholder={
            conversations.rows?.length === 0
              ? t('schedules.no_conversations')
              : t('schedules.choose_conversation')
          }
          data={offered}
          error={issue}
          value={chosen}
          searchable
          allowDeselect={false}
          onChange={(id) => id && onChange({ channel_id: cid, conversation_id: id })}
        />
      )}
    </>
  )
}
