import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useLoadedAgent } from '../agents/use-agent.ts'
import { t } from '../i18n/words.ts'
import { Empty } from '../ui/empty.tsx'
import { Plus } from '../ui/icons.ts'
import { AddChannel } from './add-channel.tsx'
import { ChannelList } from './channel-list.tsx'
import { useChannels } from './use-channels.ts'

/** The channels of an agent. */
export default function ChannelsTab() {
  const { agent } = useLoadedAgent()
  const channels = useChannels([agent.id])
  const [isAdding, setAdding] = useState(false)
  const add = (
    <Button variant="default" leftSection={<Plus size={16} />} onClick={() => setAdding(true)}>
      {t('channels.add')}
    </Button>
  )
  return (
    <Stack gap="md">
      {agent.state !== 'running' && (
        <Text size="sm" c="var(--meta)">
          {t('channels.needs_running')}
        </Text>
      )}
      <ChannelList
        {...channels}
        controls={add}
        empty={
          <Empty title={t('channels.empty')} action={add}>
            {t('channels.about')}
          </Empty>
        }
      />
      {isAdding && (
        <AddChannel
          agents={[agent]}
          names={channels.rows?.map(({ name }) => name) ?? []}
          onClose={() => setAdding(false)}
        />
      )}
    </Stack>
  )
}
