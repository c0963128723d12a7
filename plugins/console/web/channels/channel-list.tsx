import { ActionIcon, Menu } from '@mantine/core'
import { Ellipsis } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { refresh } from '../server/send.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'
import { List, type Rows } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { type Channel, deleteChannel, updateChannel, valuesOf } from './channel-form.ts'
import { ChannelState, readReason } from './channel-state.tsx'
import { EditChannel } from './edit-channel.tsx'

interface Props extends Rows<Channel> {
  empty: ReactNode
  controls?: ReactNode
  /** The name of an agent, where channels of several are listed. */
  agentName?(id: string): string | undefined
}

/** Channels with their states and what is done to them. */
export function ChannelList({ agentName, ...rows }: Props) {
  const { data: kinds } = api.useQuery('get', '/channels/kinds')
  const [open, setOpen] = useState<{ dialog: 'edit' | 'delete'; channel: Channel }>()
  const [error, setError] = useState<unknown>()
  const labelOf = (kind: string) => kinds?.find((one) => one.kind === kind)?.label ?? kind

  const enable = async (channel: Channel, enabled: boolean) => {
    setError(undefined)
    const values = valuesOf(channel)
    await updateChannel(channel, values, { ...values, enabled }).catch(setError)
    await refresh('/agents/{id}/channels')
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
                {readReason(channel) && <div>{readReason(channel)}</div>}
              </>
            }
            onOpen={() => setOpen({ dialog: 'edit', channel })}
          >
            <ChannelState channel={channel} />
            <Toggle
              aria-label={t('channels.enable', { name: channel.name })}
              checked={channel.enabled}
              onToggle={(checked) => enable(channel, checked)}
            />
            <Menu position="bottom-end">
              <Menu.Target>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t('forms.actions', { name: channel.name })}
                >
                  <Ellipsis size={16} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item onClick={() => setOpen({ dialog: 'edit', channel })}>{t('common.edit')}</Menu.Item>
                <Menu.Item color="red" onClick={() => setOpen({ dialog: 'delete', channel })}>
                  {t('common.delete')}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </ListRow>
        )}
      </List>
      {open?.dialog === 'edit' && <EditChannel channel={open.channel} onClose={() => setOpen(undefined)} />}
      {open?.dialog === 'delete' && (
        <Confirm
          title={t('models.delete_title', { name: open.channel.name })}
          action={t('common.delete')}
          onConfirm={() => remove(open.channel)}
          onClose={() => setOpen(undefined)}
        >
          {t('channels.delete_about')}
        </Confirm>
      )}
    </>
  )
}
