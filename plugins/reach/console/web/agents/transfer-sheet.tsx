import { List, Text } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { refresh, send } from '../server/send.ts'
import { type DirectoryEntry, nameOf } from '../sharing/directory.ts'
import { PeoplePicker } from '../sharing/people-picker.tsx'
import { useIssue } from '../ui/issues.tsx'
import { Sheet } from '../ui/sheet.tsx'
import type { Agent } from './use-agent.ts'

interface Props {
  agent: Agent
  onClose(): void
}

/** Transfers an agent to another owner, after it has said what this means. */
export function TransferSheet({ agent, onClose }: Props) {
  const [entries, setEntries] = useState<DirectoryEntry[]>([])
  const [owner] = entries
  const transfer = async () => {
    if (!owner) return
    const params = { path: { id: agent.id } }
    await send(client.POST('/agents/{id}/transfer', { params, body: { username: owner.name } }))
    await refresh('/agents')
  }
  return (
    <Sheet
      title={t('agents.transfer_title', { name: agent.name })}
      isDirty={owner !== undefined}
      canSave={owner !== undefined}
      onSave={transfer}
      saveLabel={t('agents.transfer_action')}
      onClose={onClose}
    >
      <NewOwner agent={agent} value={entries} onChange={setEntries} />
      <List size="sm" spacing={6}>
        <List.Item>
          {owner ? t('agents.transfer_owner', { name: nameOf(owner) }) : t('agents.transfer_nobody')}
        </List.Item>
        <List.Item>
          {agent.is_owner ? t('agents.transfer_self') : t('agents.transfer_former', { owner: agent.owner })}
        </List.Item>
        <List.Item>{t('agents.transfer_threads')}</List.Item>
        <List.Item>{t('agents.transfer_channels')}</List.Item>
        <List.Item>{t('agents.transfer_lost')}</List.Item>
      </List>
      <Text size="sm">{t('agents.transfer_back')}</Text>
    </Sheet>
  )
}

interface NewOwnerProps {
  agent: Agent
  value: DirectoryEntry[]
  onChange(entries: DirectoryEntry[]): void
}

const NewOwner = ({ agent, value, onChange }: NewOwnerProps) => (
  <PeoplePicker
    label={t('agents.transfer_to')}
    placeholder={value.length === 0 ? t('agents.transfer_example') : ''}
    kind="user"
    maxValues={1}
    isOffered={({ name }) => name !== agent.owner}
    error={useIssue('/username')}
    value={value}
    onChange={onChange}
    data-autofocus
  />
)
