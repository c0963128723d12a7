import { ActionIcon, ScrollArea, Skeleton, TextInput, UnstyledButton } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type ListedAgent, useAgent, useAgents } from '../chat/use-agent.ts'
import { t } from '../i18n/words.ts'
import { Failure } from '../ui/failure.tsx'
import { ChevronRight, Plus, Search } from '../ui/icons.ts'
import classes from './sidebar-agents.module.css'
import { ThreadList } from './sidebar-threads.tsx'

interface Props {
  onLeave: (() => void) | undefined
  /** The content below the agents in the same scrolled area. */
  children: ReactNode
}

/** The agents with their threads under them, and a search over both. */
export function AgentList({ onLeave, children }: Props) {
  const { rows, error, refetch, isPending } = useAgents()
  const { agent: name } = useParams({ strict: false })
  const { agent: current } = useAgent(name)
  const [search, setSearch] = useState('')
  const [open, setOpen] = useLocalStorage<Record<string, boolean>>({
    key: 'svc.open_agents',
    defaultValue: {},
    getInitialValueInEffect: false,
  })
  return (
    <>
      <TextInput
        className={classes.search}
        size="xs"
        type="search"
        placeholder={t('common.search')}
        aria-label={t('chat.find')}
        leftSection={<Search size={14} aria-hidden />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && setSearch('')}
      />
      <ScrollArea className={classes.scroll} type="hover" scrollbarSize={8}>
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {isPending && [1, 2, 3].map((key) => <Skeleton key={key} height={20} my={8} mx={10} w="auto" />)}
        {rows?.map((agent) => (
          <AgentEntry
            key={agent.id}
            agent={agent}
            search={search.trim().toLowerCase()}
            isOpen={open[agent.id] ?? agent.id === current?.id}
            onToggle={(isOpen) => setOpen((all) => ({ ...all, [agent.id]: isOpen }))}
            onLeave={onLeave}
          />
        ))}
        {children}
      </ScrollArea>
    </>
  )
}

interface EntryProps {
  agent: ListedAgent
  search: string
  isOpen: boolean
  onToggle(isOpen: boolean): void
  onLeave: (() => void) | undefined
}

function AgentEntry({ agent, search, isOpen, onToggle, onLeave }: EntryProps) {
  const isSearching = search !== ''
  const isShown = isSearching || isOpen
  const { id, name, is_owner, owner, unread_count } = agent
  const label = t('chat.show_threads', { agent: name })
  return (
    <section aria-label={name}>
      <div className={classes.agent}>
        <UnstyledButton
          className={classes.toggle}
          aria-expanded={isShown}
          aria-label={label}
          onClick={() => onToggle(!isOpen)}
        >
          <ChevronRight size={14} aria-hidden data-open={isShown} className={classes.chevron} />
          <span className={classes.name}>
            {name}
            {!is_owner && <span className={classes.owner}> · {owner}</span>}
          </span>
          {unread_count > 0 && !isShown && (
            <span className={classes.unread} title={t('chat.unread', { count: unread_count })}>
              {unread_count}
            </span>
          )}
        </UnstyledButton>
        <ActionIcon
          component={Link}
          to={`/chat/${id}`}
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={t('chat.new_with', { agent: name })}
          title={t('chat.new_with', { agent: name })}
          onClick={onLeave}
        >
          <Plus size={14} aria-hidden />
        </ActionIcon>
      </div>
      {isShown && (
        <ThreadList
          agent={agent}
          search={name.toLowerCase().includes(search) ? '' : search}
          onLeave={onLeave}
        />
      )}
    </section>
  )
}
