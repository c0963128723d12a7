import { Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { Failure } from '../ui/failure.tsx'
import { List, type Rows } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { useAction } from '../ui/use-action.ts'
import { type Channel, deleteChannel, updateChannel, valuesOf } from './channel-form.ts'
import { ChannelState, LastRefusal, readReason } from './channel-state.tsx'
import { EditChannel } from './edit-channel.tsx'

/** A refusal is shown in the list for a day, in seconds. */
const RECENT_SECONDS = 86_400

const isRecent = (refusal: Channel['runtime']['last_refusal']): refusal is NonNullable<typeof refusal> =>
  refusal !== null && Date.now() / 1000 - refusal.at < RECENT_SECONDS

interface Props extends Rows<Channel> {
  empty: ReactNode
  controls?: ReactNode
  /** The name of an agent, where channels of several are listed. */
  agentName?(id: string): string | undefined
}

/** Channels with their states and actions. */
export function ChannelList({ agentName, ...rows }: Props) {
  const { data: kinds } = api.useQuery('get', '/channels/kinds')
  const [editing, setEditing] = useState<Channel>()
  const { error, run } = useAction()
  const findKind = (name: string) => kinds?.find(({ kind }) => kind === name)
  const labelOf = (kind: string) => findKind(kind)?.label ?? kind
  const readStatus = (channel: Channel) =>
    kinds && !findKind(channel.kind) ? t('channels.kind_gone') : readReason(channel)

  const enable = (channel: Channel, enabled: boolean) => {
    const values = valuesOf(channel)
    const update = updateChannel(channel, values, { ...values, enabled })
    return run(() => update.finally(() => refresh('/agents/{id}/channels')))
  }
  const remove = async (channel: Channel) => {
    await deleteChannel(channel)
    await refresh('/agents/{id}/channels')
  }

  return (
    <>
      {error !== undefined && <Failure error={error} />}
      <List
        {...rows}
        label={t('frame.channels')}
        keyOf={({ id }) => id}
        textOf={({ name, kind, agent_id }) => `${name} ${labelOf(kind)} ${agentName?.(agent_id) ?? ''}`}
      >
        {(channel) => (
          <ListRow
            icon={<Monogram name={labelOf(channel.kind)} />}
            title={channel.name}
            meta={
              <>
                {[labelOf(channel.kind), agentName?.(channel.agent_id)].filter(Boolean).join(' · ')}
                {readStatus(channel) && <div>{readStatus(channel)}</div>}
                {isRecent(channel.runtime.last_refusal) && (
                  <div>
                    <LastRefusal refusal={channel.runtime.last_refusal} />
                    <Text size="xs" lineClamp={2}>
                      {channel.runtime.last_refusal.detail}
                    </Text>
                  </div>
                )}
              </>
            }
            onOpen={() => setEditing(channel)}
          >
            <ChannelState channel={channel} />
            <Toggle
              aria-label={t('channels.enable', { name: channel.name })}
              checked={channel.enabled}
              onToggle={(checked) => enable(channel, checked)}
            />
            <RowMenu
              name={channel.name}
              onEdit={() => setEditing(channel)}
              deletion={{ about: t('channels.delete_about'), run: () => remove(channel) }}
            />
          </ListRow>
        )}
      </List>
      {editing && <EditChannel channel={editing} onClose={() => setEditing(undefined)} />}
    </>
  )
}
