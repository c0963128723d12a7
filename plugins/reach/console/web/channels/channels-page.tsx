import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { Empty } from '../ui/empty.tsx'
import { Failure } from '../ui/failure.tsx'
import { Plus } from '../ui/icons.ts'
import { Page } from '../ui/page.tsx'
import { AddChannel } from './add-channel.tsx'
import { ChannelList } from './channel-list.tsx'
import { useChannels } from './use-channels.ts'

/** The channels of all agents of the account. */
export default function ChannelsPage() {
  const agents = useRows('/agents', { query: { limit: 200 } })
  const own = agents.rows?.filter(({ is_owner }) => is_owner) ?? []
  const channels = useChannels(own.map(({ id }) => id))
  const [isAdding, setAdding] = useState(false)
  const add = own.length > 0 && (
    <Button leftSection={<Plus size={16} />} onClick={() => setAdding(true)}>
      {t('channels.add')}
    </Button>
  )
  return (
    <Page title={t('frame.channels')} about={t('channels.about')} actions={add}>
      {agents.error ? (
        <Failure error={agents.error} onRetry={agents.refetch} />
      ) : (
        <ChannelList
          {...channels}
          rows={agents.rows && channels.rows}
          agentName={(id) => own.find((agent) => agent.id === id)?.name}
          empty={
            <Empty title={t('channels.empty')} action={add}>
              {t('channels.about')}
            </Empty>
          }
        />
      )}
      {isAdding && (
        <AddChannel
          agents={own}
          names={channels.rows?.map(({ name }) => name) ?? []}
          onClose={() => setAdding(false)}
        />
      )}
    </Page>
  )
}
