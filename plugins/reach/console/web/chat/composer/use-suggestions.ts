import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { baseName } from '../../agents/files.ts'
import { t } from '../../i18n/words.ts'
import { type Prompt, usePrompts } from '../../prompts/use-prompts.ts'
import { api } from '../../server/client.ts'
import { useFacts } from '../../server/facts.ts'
import type { IconComponent } from '../../ui/icon.tsx'
import {
  CalendarClock,
  File,
  ListTree,
  MessageCirclePlus,
  MessageSquareText,
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
const MAX_SHOWN = 30
/** The most characters of a prompt without a description that are shown. */
const MAX_LABEL = 120

/** Something that a beginning in the composer leads to: an action, a saved prompt, or a file to attach. */
export interface Suggestion {
  /** The word that is typed for it. */
  key: string
  /** Distinguishes it from another one with the same word. */
  id?: string
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
  /** Called with a saved prompt that was chosen. */
  onFill(prompt: Prompt): void
}

/** The suggestions for the text before the caret: actions and saved prompts after `/` at its beginning, files after `@`. */
export function useSuggestions({ agent_id, store, draft, text, caret, onAttach, onFill }: Options) {
  const [selectedIndex, setSelectedIndex] = useState(0)
  const [dismissed, setDismissed] = useState('')
  const textBeforeCaret = text.slice(0, caret)
  const action = /^\/(\S*)$/.exec(text)?.[1]
  const file = /(?:^|\s)@([^\s@]*)$/.exec(textBeforeCaret)?.[1]
  const actions = useActions({ agent_id, store, onAttach })
  const files = useFiles(agent_id, file)
  const prompts = usePromptEntries(action !== undefined, onFill)

  const runAction = (run: () => void) => () => {
    draft.set({ text: '' })
    run()
  }
  const attach = (path: string, media_type: string) => () => {
    draft.set({ text: textBeforeCaret.slice(0, -1 - (file ?? '').length) + text.slice(caret) })
    draft.attach({ path, filename: baseName(path), media_type })
  }
  const words = action?.toLowerCase() ?? ''
  // Those whose own word is typed come first.
  const rank = ({ key }: Suggestion) => Number(key.toLowerCase().startsWith(`/${words}`))
  const all: Suggestion[] =
    action !== undefined
      ? [...actions, ...prompts.entries]
          .filter(({ key, label }) => `${key} ${label}`.toLowerCase().includes(words))
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
  return {
    items,
    chosen,
    error: action === undefined ? null : prompts.error,
    setPlace: setSelectedIndex,
    handleKey,
  }
}

/** The saved prompts, one's own first. */
function usePromptEntries(isWanted: boolean, choose: (prompt: Prompt) => void) {
  const { features } = useFacts()
  const { rows = [], error } = usePrompts({ enabled: isWanted && features.prompts === true })
  const entries = rows.map(
    (prompt): Suggestion => ({
      key: `/${prompt.name}`,
      id: prompt.id,
      label: prompt.description || prompt.text.trim().split('\n')[0]!.slice(0, MAX_LABEL),
      icon: MessageSquareText,
      run: () => choose(prompt),
    }),
  )
  return { entries, error }
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
    ...(features.prompts
      ? [{ key: '/prompts', label: t('prompts.title'), icon: MessageSquareText, run: go('/prompts') }]
      : []),
    { key: '/settings', label: t('chat.agent_settings'), icon: Settings, run: go(`/agents/${agent_id}`) },
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
