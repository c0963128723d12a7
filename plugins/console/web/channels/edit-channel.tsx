import { Alert } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import type { Schema } from '../ui/schema-form-schema.ts'
import { Sheet } from '../ui/sheet.tsx'
import { StoredSheet } from '../ui/stored-sheet.tsx'
import { ChannelFields } from './channel-fields.tsx'
import { type Channel, type ChannelKind, readChannel, updateChannel, valuesOf } from './channel-form.ts'
import { readReason } from './channel-state.tsx'

interface Props {
  channel: Channel
  onClose(): void
}

/** Changes a channel, as it is stored now. */
export function EditChannel({ channel, onClose }: Props) {
  const { data: kinds } = api.useQuery('get', '/channels/kinds')
  return (
    <StoredSheet
      row={channel}
      kinds={kinds}
      gone={t('channels.kind_gone')}
      read={() => readChannel(channel)}
      onClose={onClose}
    >
      {(loaded) => <Editor {...loaded} onClose={onClose} />}
    </StoredSheet>
  )
}

interface EditorProps {
  stored: Channel
  tag: string | null
  kind: ChannelKind
  onClose(): void
}

function Editor({ stored, tag, kind, onClose }: EditorProps) {
  const draft = useDraft(valuesOf(stored))
  const reason = readReason(stored)
  const save = async () => {
    const schema = kind.config_schema as Schema
    await updateChannel(stored, draft.base, draft.value, { tag, schema })
    await refresh('/agents/{id}/channels')
  }
  return (
    <Sheet
      title={stored.name}
      isDirty={draft.isDirty}
      canSave={draft.isDirty}
      onSave={save}
      onClose={onClose}
    >
      {reason && (
        <Alert color={stored.runtime.state === 'failed' ? 'red' : 'gray'} variant="light">
          {reason}
        </Alert>
      )}
      <ChannelFields
        agentId={stored.agent_id}
        kind={kind}
        values={draft.value}
        onChange={draft.change}
        stored={stored}
      />
    </Sheet>
  )
}
