import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { type ThreadRow, titleOf, useArchivedThreads, useThreads } from '../chat/thread-list.ts'
import { type ListedAgent, useAgents } from '../chat/use-agent.ts'
import { formatAge } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { useProjects } from '../projects/projects.ts'
import { addressOf, type Hit, type SnippetPart, useHits } from '../search/search.ts'
import { useFacts } from '../server/facts.ts'
import type { IconComponent } from '../ui/icon.tsx'
import {
  Folder,
  Keyboard,
  MessageCircle,
  MessageCirclePlus,
  MessageSquareText,
  Search,
  Settings2,
} from '../ui/icons.ts'
import { useMenu } from './menu.ts'
import { iconOf, labelOf, usePages } from './slots.ts'

/** Something that the palette leads to. */
export interface Entry {
  key: string
  label: string
  /** Whose it is, when it was, or another word about it. */
  about: string
  icon: IconComponent
  /** The passage of a message that was found. */
  snippet?: SnippetPart[]
  run(): void
}

/** Entries of one kind. */
interface Group {
  key: string
  title: string
  entries: Entry[]
}

interface Actions {
  onClose(): void
  onShowKeys(): void
}

/** The most entries of a kind that are shown. */
const MAX_SHOWN = 6
/** The characters that a search may have. */
const MAX_QUERY = 256
/** The time without a key after which messages are searched. */
const PAUSE_MS = 150

/** Everything that the palette finds for a text, by kind, the likeliest first. */
export function usePaletteGroups(search: string, { onClose, onShowKeys }: Actions) {
  const navigate = useNavigate()
  const menu = useMenu()
  const facts = useFacts()
  const pages = usePages('pages')
  const adminPages = usePages('admin.pages')
  const { rows: agents = [] } = useAgents()
  const { rows: projects = [] } = useProjects()
  const query = search.trim().slice(0, MAX_QUERY)
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = ({ label, about }: Entry) =>
    words.every((word) => `${label} ${about}`.toLowerCase().includes(word))
  const { titles, messages, isSearching } = useConversations(query, agents)

  const leave = (go: () => unknown) => () => {
    onClose()
    go()
  }
  const open = (to: string) => leave(() => navigate({ to }))
  const conversations = titles.map(({ agent_id, ...entry }) => ({
    ...entry,
    icon: MessageCircle,
    run: open(`/chat/${agent_id}/${entry.key}`),
  }))
  const passages = messages.map((hit) => ({
    key: `${hit.thread_id} ${hit.message_id}`,
    label: titleOf(hit),
    about: formatAge(hit.timestamp / 1000),
    icon: MessageSquareText,
    snippet: hit.snippet,
    run: leave(() => navigate(addressOf(hit))),
  }))
  const everywhere: Entry = {
    key: 'search',
    label: query === '' ? t('search.title') : t('search.everywhere', { words: query }),
    about: '',
    icon: Search,
    run: leave(() => navigate({ to: '/search', search: { q: query || undefined } })),
  }
  const groups: Group[] = [
    {
      key: 'conversations',
      title: t('conversations.title'),
      entries: conversations.filter(matches).slice(0, MAX_SHOWN),
    },
    { key: 'messages', title: t('chat.messages'), entries: passages.slice(0, MAX_SHOWN) },
    {
      key: 'search',
      title: t('common.search'),
      entries: facts.features.search ? [everywhere] : [],
    },
    {
      key: 'agents',
      title: t('frame.agents'),
      entries: [
        ...agents.map((agent) => ({
          key: agent.id,
          label: t('chat.new_with', { agent: agent.name }),
          about: nameOwner(agent),
          icon: MessageCirclePlus,
          run: open(`/chat/${agent.id}`),
        })),
        ...agents.map((agent) => ({
          key: `settings of ${agent.id}`,
          label: t('frame.agent_settings', { agent: agent.name }),
          about: nameOwner(agent),
          icon: Settings2,
          run: open(`/agents/${agent.id}`),
        })),
      ]
        .filter(matches)
        .slice(0, MAX_SHOWN),
    },
    {
      key: 'projects',
      title: t('projects.title'),
      entries: projects
        .map(({ id, name }) => ({
          key: id,
          label: name,
          about: '',
          icon: Folder,
          run: open(`/projects/${id}`),
        }))
        .filter(matches)
        .slice(0, MAX_SHOWN),
    },
    {
      key: 'pages',
      title: t('frame.navigation'),
      entries: [
        ...menu.map(({ to, label, icon }) => ({ key: to, label: t(label), about: '', icon, run: open(to) })),
        ...[...pages, ...adminPages].map((page) => ({
          key: page.path,
          label: labelOf(page),
          about: '',
          icon: iconOf(page),
          run: open(page.path),
        })),
        { key: 'keys', label: t('frame.shortcuts'), about: '', icon: Keyboard, run: onShowKeys },
      ].filter(matches),
    },
  ]
  return { groups: groups.filter(({ entries }) => entries.length > 0), isSearching }
}

/** The conversations whose title may contain a text, and the messages that contain it. */
function useConversations(query: string, agents: readonly ListedAgent[]) {
  const isOffered = useFacts().features.search === true
  const [q] = useDebouncedValue(query, PAUSE_MS)
  const { rows: recent = [] } = useThreads()
  const { rows: archived = [] } = useArchivedThreads()
  const { rows: hits = [], isFetching } = useHits({ q }, { limit: 2 * MAX_SHOWN, enabled: isOffered })
  const isArchived = (thread_id: string) => archived.some((thread) => thread.thread_id === thread_id)
  const describe = (thread: Pick<ThreadRow, 'thread_id' | 'agent_id' | 'title'>, time: number) => ({
    key: thread.thread_id,
    label: titleOf(thread),
    about: isArchived(thread.thread_id)
      ? t('conversations.archived')
      : (agents.length > 1 && agents.find(({ id }) => id === thread.agent_id)?.name) || formatAge(time),
    agent_id: thread.agent_id,
  })
  const listed = query === '' ? recent : [...recent, ...archived]
  const inList = listed.map((row) => describe(row, row.last_active))
  const inSearch = hits
    .filter(({ message_id }) => message_id === null)
    .map((hit) => describe(hit, hit.timestamp / 1000))
  // A text that was emptied has no hits, although the last ones are still cached.
  const messages = query === '' ? [] : hits.filter(({ message_id }: Hit) => message_id !== null)
  return {
    titles: [...new Map([...inSearch, ...inList].map((entry) => [entry.key, entry])).values()],
    messages,
    isSearching: isOffered && query !== '' && (isFetching || q !== query) && messages.length === 0,
  }
}

/** Names the owner of an agent of somebody else, since names of several people may be the same. */
const nameOwner = ({ is_owner, owner }: Pick<ListedAgent, 'is_owner' | 'owner'>) => (is_owner ? '' : owner)
