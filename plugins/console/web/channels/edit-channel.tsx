import { Alert, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { useDraft } from '../ui/draft.ts'
import { Failure } from '../ui/failure.tsx'
import type { Schema } from '../ui/schema-form-schema.ts'
import { Sheet } from '../ui/sheet.tsx'
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
  const stored = useQuery({
    queryKey: ['edit', channel.id],
    queryFn: () => readChannel(channel),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const kind = kinds?.find(({ kind }) => kind === channel.kind)
  if (stored.data && kind)
    return <Editor stored={stored.data.data} tag={stored.data.tag} {...{ kind, onClose }} />
  return (
    <Sheet title={channel.name} onClose={onClose}>
      {stored.error ? (
        <Failure error={stored.error} onRetry={stored.refetch} />
      ) : kinds && !kind ? (
        t('channels.kind_gone')
      ) : (
        <Skeleton height={240} />
      )}
    </Sheet>
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
