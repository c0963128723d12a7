import { Modal, TextInput, UnstyledButton } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { type ThreadRow, titleOf } from '../chat/thread-list.ts'
import { type ListedAgent, useAgents } from '../chat/use-agent.ts'
import { language } from '../i18n/language.ts'
import { t } from '../i18n/words.ts'
import { useFacts } from '../server/facts.ts'
import { queries } from '../server/queries.ts'
import { useAccount } from '../session/account.ts'
import type { IconComponent } from '../ui/icon.tsx'
import { Bot, Keyboard, MessageCircle, Plus, Puzzle } from '../ui/icons.ts'
import { useMenu } from './menu.ts'
import classes from './palette.module.css'
import { listPluginPages } from './plugin-entries.tsx'

interface Entry {
  key: string
  label: string
  /** The kind of the entry, or the agent of a conversation. */
  about: string
  icon: IconComponent
  run(): void
}

interface Props {
  onClose(): void
  onShowKeys(): void
}

/** The most entries that are shown. */
const MAX_SHOWN = 12

/** A search over conversations, agents, pages and actions, by keys alone. */
export default function Palette({ onClose, onShowKeys }: Props) {
  const [search, setSearch] = useState('')
  const [selectedIndex, setSelectedIndex] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const entries = useEntries(onClose, onShowKeys)
    .filter(({ label, about }) => words.every((word) => `${label} ${about}`.toLowerCase().includes(word)))
    .slice(0, MAX_SHOWN)
  const chosen = Math.min(selectedIndex, entries.length - 1)

  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  const handleKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setSelectedIndex((chosen + step + entries.length) % Math.max(entries.length, 1))
    else if (event.key === 'Enter') entries[chosen]?.run()
    else return
    event.preventDefault()
  }

  return (
    <Modal opened onClose={onClose} withCloseButton={false} padding={0} size={560} yOffset="12vh">
      <TextInput
        variant="unstyled"
        className={classes.search}
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={entries[chosen] && `${id}-${chosen}`}
        aria-label={t('frame.palette')}
        placeholder={t('frame.palette')}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value)
          setSelectedIndex(0)
        }}
        onKeyDown={handleKey}
        data-autofocus
      />
      <div ref={list} id={id} role="listbox" aria-label={t('frame.palette')} className={classes.list}>
        {entries.map(({ key, label, about, icon: Icon, run }, index) => (
          <UnstyledButton
            key={key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            className={classes.entry}
            onClick={run}
            onMouseMove={() => setSelectedIndex(index)}
          >
            <Icon size={16} aria-hidden />
            <span className={classes.label}>{label}</span>
            <span className={classes.about}>{about}</span>
          </UnstyledButton>
        ))}
      </div>
      {entries.length === 0 && <p className={classes.nothing}>{t('frame.nothing_found')}</p>}
    </Modal>
  )
}

/** Everything that the palette finds: actions first, then conversations that were listed, agents and pages. */
function useEntries(onClose: () => void, onShowKeys: () => void): Entry[] {
  const navigate = useNavigate()
  const menu = useMenu()
  const plugins = listPluginPages(useFacts().pages, useAccount())
  const { rows: agents = [] } = useAgents()
  const go = (to: string) => () => {
    onClose()
    void navigate({ to })
  }
  const threads = agents.flatMap(({ id, name }) =>
    readThreads(id).map((row) => ({
      key: row.thread_id,
      label: titleOf(row),
      about: name,
      icon: MessageCircle,
      run: go(`/chat/${id}/${row.thread_id}`),
    })),
  )
  return [
    ...threads,
    ...agents.map(({ id, name, ...agent }) => ({
      key: id,
      label: t('chat.new_with', { agent: name }),
      about: aboutAgent(agent),
      icon: Plus,
      run: go(`/chat/${id}`),
    })),
    ...agents.map(({ id, name, ...agent }) => ({
      key: `settings of ${id}`,
      label: name,
      about: aboutAgent(agent),
      icon: Bot,
      run: go(`/agents/${id}`),
    })),
    ...menu.map(({ to, label, icon }) => ({
      key: to,
      label: t(label),
      about: t('frame.navigation'),
      icon,
      run: go(to),
    })),
    ...plugins.map(({ path, title }) => ({
      key: path,
      label: title[language],
      about: t('frame.navigation'),
      icon: Puzzle,
      run: go(path),
    })),
    { key: 'keys', label: t('frame.shortcuts'), about: '', icon: Keyboard, run: onShowKeys },
  ]
}

/** Whose an agent is, since names of several people may be the same. */
const aboutAgent = ({ is_owner, owner }: Pick<ListedAgent, 'is_owner' | 'owner'>) =>
  is_owner ? t('frame.agents') : t('agents.of', { owner })

/** The threads of an agent in the lists that were read. */
const readThreads = (agent_id: string): ThreadRow[] => {
  const lists = queries.getQueriesData<{ pages?: { rows: ThreadRow[] }[] }>({
    predicate: ({ queryKey: [, path, init] }) =>
      path === '/agents/{id}/threads' && JSON.stringify(init ?? '').includes(JSON.stringify(agent_id)),
  })
  const rows = lists.flatMap(([, data]) => data?.pages?.flatMap((page) => page.rows) ?? [])
  return [...new Map(rows.map((row) => [row.thread_id, row])).values()]
}
