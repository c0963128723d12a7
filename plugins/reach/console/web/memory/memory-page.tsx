import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { useAccount } from '../session/account.ts'
import { Failure } from '../ui/failure.tsx'
import { Plus } from '../ui/icons.ts'
import { Page } from '../ui/page.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { useAction } from '../ui/use-action.ts'
import { AddMemory } from './add-memory.tsx'
import { exportMemories } from './memories.ts'
import { MemoryList } from './memory-list.tsx'
import { Proposals } from './proposals.tsx'
import { useAgentNames } from './use-agent-names.ts'

/** The memories of the account: the proposals of agents, and what they remember. */
export default function MemoryPage() {
  const names = useAgentNames()
  const [isAdding, setAdding] = useState(false)
  const { isBusy, error, run } = useAction()
  const add = (
    <Button leftSection={<Plus size={16} />} onClick={() => setAdding(true)}>
      {t('memory.add')}
    </Button>
  )
  return (
    <Page
      title={t('memory.title')}
      about={t('memory.about')}
      actions={
        <>
          <Button variant="default" loading={isBusy} onClick={() => void run(exportMemories)}>
            {t('memory.export')}
          </Button>
          {add}
        </>
      }
    >
      {error !== undefined && <Failure error={error} onRetry={() => void run(exportMemories)} />}
      <Stack gap={32}>
        <MemorySwitch />
        <Proposals names={names} />
        <MemoryList names={names} add={add} />
      </Stack>
      {isAdding && <AddMemory names={names} onClose={() => setAdding(false)} />}
    </Page>
  )
}

/** Says if agents remember things about the account. */
function MemorySwitch() {
  const { memory } = useAccount()
  const { error, run } = useAction()
  const toggle = (memory: boolean) =>
    run(async () => {
      await send(client.PATCH('/auth/me', { body: { memory } }))
      await refresh('/auth/me')
    })
  return (
    <Stack gap="sm">
      <Toggle
        label={t('memory.switch')}
        description={t(memory ? 'memory.switch_on' : 'memory.switch_off')}
        checked={memory}
        onToggle={toggle}
      />
      {error !== undefined && <Failure error={error} />}
    </Stack>
  )
}
