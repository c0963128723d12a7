import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { t } from '../i18n/words.ts'
import { useRows } from '../server/pages.ts'
import { useAccount } from '../session/account.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Empty } from '../ui/empty.tsx'
import { Search } from '../ui/icons.ts'
import { List } from '../ui/list.tsx'
import { Section } from '../ui/section.tsx'
import { deleteMemories } from './memories.ts'
import { MemoryRow } from './memory-row.tsx'
import type { AgentNames } from './use-agent-names.ts'

/** The values of the filter beside the ids of agents. */
const SCOPES = { me: { scope: 'me' }, agent: { scope: 'agent' } } as const

interface Props {
  names: AgentNames
  /** The button that adds a memory. */
  add: ReactNode
}

/** The memories of the account, newest first. */
export function MemoryList({ names, add }: Props) {
  const { username } = useAccount()
  const [text, setText] = useState('')
  const [readBy, setReadBy] = useState('')
  const [isDeleting, setDeleting] = useState(false)
  const [q] = useDebouncedValue(text.trim(), 250)
  const filter = readBy === '' ? {} : (SCOPES[readBy as keyof typeof SCOPES] ?? { agent_id: readBy })
  const memories = useRows('/memories', { query: { ...filter, ...(q && { q }) } }, { keepsRows: true })
  const isFiltered = q !== '' || readBy !== ''
  const isEmpty = memories.rows?.length === 0
  const deleteAll = async () => {
    await deleteMemories()
    setText('')
    setReadBy('')
  }
  return (
    <Section title={t('memory.list')}>
      {(isFiltered || !isEmpty) && (
        <Group gap="sm" role="search">
          <TextInput
            flex="1 1 240px"
            maw={360}
            type="search"
            aria-label={t('forms.search_in', { list: t('memory.list') })}
            placeholder={t('common.search')}
            leftSection={<Search size={14} aria-hidden />}
            maxLength={256}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <NativeSelect
            aria-label={t('memory.read_by')}
            value={readBy}
            onChange={(event) => setReadBy(event.currentTarget.value)}
            data={[
              { value: '', label: t('memory.all') },
              { value: 'me', label: t('memory.for_all') },
              { value: 'agent', label: t('memory.for_one') },
              ...[...names].map(([value, agent]) => ({ value, label: t('memory.only_for', { agent }) })),
            ]}
          />
        </Group>
      )}
      <List
        {...memories}
        label={t('memory.list')}
        keyOf={({ id }) => id}
        empty={
          isFiltered ? (
            <Empty title={t('forms.no_match')}>{t('memory.no_match_about')}</Empty>
          ) : (
            <Empty title={t('memory.none')} action={add}>
              {t('memory.none_about')}
            </Empty>
          )
        }
      >
        {(memory) => <MemoryRow memory={memory} names={names} />}
      </List>
      {!isEmpty && (
        <Stack align="flex-start" mt="sm">
          <Button variant="default" c="var(--danger)" onClick={() => setDeleting(true)}>
            {t('memory.delete_all')}
          </Button>
        </Stack>
      )}
      {isDeleting && (
        <Confirm
          title={t('memory.delete_all_title')}
          action={t('memory.delete_all')}
          name={username}
          onConfirm={deleteAll}
          onClose={() => setDeleting(false)}
        >
          {t('memory.delete_all_about')}
        </Confirm>
      )}
    </Section>
  )
}
