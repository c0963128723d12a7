import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { baseName } from '../../agents/files.ts'
import { t } from '../../i18n/words.ts'
import { api } from '../../server/client.ts'
import { useFacts } from '../../server/facts.ts'
import type { IconComponent } from '../../ui/icon.tsx'
import {
  CalendarClock,
  File,
  ListTree,
  MessageCirclePlus,
  PanelRight,
  Paperclip,
  Settings,
  Square,
} from '../../ui/icons.ts'
import { togglePanel } from '../files/open-file.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import { useThread } from '../store/threads.ts'
import type { Draft } from './draft.ts'

/** The most suggestions that are shown. */
const MAX_SHOWN = 8

/** Something that a beginning in the composer leads to: an action, or a file to attach. */
export interface Suggestion {
  key: string
  label: string
  icon: IconComponent
  run(): void
}

interface Options {
  agent_id: string
  store: ThreadStore | undefined
  draft: Draft
  text: string
  /** The position of the caret in the text. */
  caret: number
  onAttach(): void
}

/** The suggestions for the text before the caret: actions after `/` at its beginning, files after `@`. */
export function useSuggestions({ agent_id, store, draft, text, caret, onAttach }: Options) {
  const [selectedIndex, setSelectedIndex] = useState(0)
  const [dismissed, setDismissed] = useState('')
  const textBeforeCaret = text.slice(0, caret)
  const action = /^\/(\S*)$/.exec(text)?.[1]
  const file = /(?:^|\s)@([^\s@]*)$/.exec(textBeforeCaret)?.[1]
  const actions = useActions({ agent_id, store, onAttach })
  const files = useFiles(agent_id, file)

  const runAction = (run: () => void) => () => {
    draft.set({ text: '' })
    run()
  }
  const attach = (path: string, media_type: string) => () => {
    draft.set({ text: textBeforeCaret.slice(0, -1 - (file ?? '').length) + text.slice(caret) })
    draft.attach({ path, filename: baseName(path), media_type })
  }
  // Those whose own word is typed come first.
  const rank = ({ key }: Suggestion) => Number(key.startsWith(`/${action}`))
  const all: Suggestion[] =
    action !== undefined
      ? actions
          .filter(({ key, label }) => `${key} ${label}`.toLowerCase().includes(action.toLowerCase()))
          .toSorted((left, right) => rank(right) - rank(left))
          .map(({ run, ...rest }) => ({ ...rest, run: runAction(run) }))
      : files.map(({ path, media_type }) => ({
          key: path,
          label: path,
          icon: File,
          run: attach(path, media_type ?? 'application/octet-stream'),
        }))
  const items = text === dismissed ? [] : all.slice(0, MAX_SHOWN)
  const chosen = Math.min(selectedIndex, items.length - 1)

  /** Moves in the suggestions, takes one, or closes them; false if the key is not for them. */
  const handleKey = (event: KeyboardEvent): boolean => {
    if (items.length === 0) return false
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setSelectedIndex((chosen + step + items.length) % items.length)
    else if (event.key === 'Enter' || event.key === 'Tab') {
      items[chosen]?.run()
      setSelectedIndex(0)
    } else if (event.key === 'Escape') setDismissed(text)
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  return { items, chosen, setPlace: setSelectedIndex, handleKey }
}

/** The actions of a conversation; the key is what is typed. */
function useActions({
  agent_id,
  store,
  onAttach,
}: Pick<Options, 'agent_id' | 'store' | 'onAttach'>): Suggestion[] {
  const navigate = useNavigate()
  const { features } = useFacts()
  const isActive = useThread(store, ({ active }) => active !== undefined)
  const go = (to: string) => () => void navigate({ to })
  return [
    { key: '/new', label: t('chat.new_thread'), icon: MessageCirclePlus, run: go(`/chat/${agent_id}`) },
    { key: '/attach', label: t('chat.attach'), icon: Paperclip, run: onAttach },
    ...(store && isActive
      ? [{ key: '/stop', label: t('chat.stop'), icon: Square, run: () => store.stop() }]
      : []),
    { key: '/files', label: t('chat.panel'), icon: PanelRight, run: togglePanel },
    ...(features.schedules
      ? [
          {
            key: '/schedule',
            label: t('chat.schedules'),
            icon: CalendarClock,
            run: go(`/agents/${agent_id}/schedules`),
          },
        ]
      : []),
    ...(store
      ? [
          {
            key: '/steps',
            label: t('chat.trajectory'),
            icon: ListTree,
            run: go(`/chat/${agent_id}/${store.thread_id}/trajectory`),
          },
        ]
      : []),
    { key: '/settings', label: t('agents.settings'), icon: Settings, run: go(`/agents/${agent_id}`) },
  ]
}

/** The files of the workspace whose path contains a text; a folder in it is looked through alone. */
function useFiles(agent_id: string, search: string | undefined) {
  const path = search?.includes('/') ? search.slice(0, search.lastIndexOf('/')) : undefined
  const query = { recursive: true, limit: 200, ...(path ? { path } : {}) }
  const { data = [] } = api.useQuery(
    'get',
    '/agents/{id}/files',
    { params: { path: { id: agent_id }, query } },
    { enabled: search !== undefined, retry: false },
  )
  const lowerCased = search?.toLowerCase()
  return lowerCased === undefined
    ? []
    : data.filter(({ kind, path }) => kind === 'file' && path.toLowerCase().includes(lowerCased))
}
