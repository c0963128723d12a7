import { Alert } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { EditSheet } from '../ui/edit-sheet.tsx'
import { Outcome } from '../ui/outcome.tsx'
import { ChannelFields } from './channel-fields.tsx'
import { type Channel, readChannel, updateChannel, valuesOf } from './channel-form.ts'
import { LastRefusal, readReason } from './channel-state.tsx'

interface Props {
  channel: Channel
  onClose(): void
}

/** Changes a channel, as it is stored now. */
export function EditChannel({ channel, onClose }: Props) {
  const { data: kinds } = api.useQuery('get', '/channels/kinds')
  const kind = kinds?.find(({ kind }) => kind === channel.kind)
  const reason = readReason(channel)
  return (
    <EditSheet
      title={channel.name}
      id={channel.id}
      read={() => readChannel(channel)}
      valuesOf={({ data }) => valuesOf(data)}
      save={async ({ data, tag }, base, values) => {
        await updateChannel(data, base, values, { tag, kind })
        await refresh('/agents/{id}/channels')
      }}
      onClose={onClose}
    >
      {(values, onChange, { data: stored }) => (
        <>
          {reason && (
            <Alert color={channel.runtime.state === 'failed' ? 'red' : 'gray'} variant="light">
              {reason}
            </Alert>
          )}
          {channel.runtime.last_refusal && (
            <Outcome color="yellow" detail={channel.runtime.last_refusal.detail}>
              <LastRefusal refusal={channel.runtime.last_refusal} />
            </Outcome>
          )}
          {kind && <ChannelFields agentId={stored.agent_id} {...{ kind, values, onChange, stored }} />}
          {kinds && !kind && t('channels.kind_gone')}
        </>
      )}
    </EditSheet>
  )
}
