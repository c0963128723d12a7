import { useNavigate } from '@tanstack/react-router'
import { t } from '../../i18n/words.ts'
import { type Prompt, usePrompts } from '../../prompts/use-prompts.ts'
import { useFacts } from '../../server/facts.ts'
import {
  CalendarClock,
  FoldVertical,
  ListTree,
  MessageCirclePlus,
  MessageSquareText,
  PanelRight,
  Paperclip,
  Settings,
  Square,
} from '../../ui/icons.ts'
import { compactThread } from '../compaction.ts'
import { togglePanel } from '../files/open-file.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import { useThread } from '../store/threads.ts'
import type { Suggestion } from './suggestion.ts'

/** The most characters of a prompt without a description that are shown. */
const MAX_LABEL = 120

interface Options {
  agent_id: string
  store: ThreadStore | undefined
  onAttach(): void
  onFailure(error: unknown): void
}

/** The actions of a conversation; the key is what is typed. */
export function useActions({ agent_id, store, onAttach, onFailure }: Options): Suggestion[] {
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
          {
            key: '/compact',
            label: t('chat.compact'),
            icon: FoldVertical,
            run: () => void compactThread(store).catch(onFailure),
          },
        ]
      : []),
    ...(features.prompts
      ? [{ key: '/prompts', label: t('prompts.title'), icon: MessageSquareText, run: go('/prompts') }]
      : []),
    { key: '/settings', label: t('chat.agent_settings'), icon: Settings, run: go(`/agents/${agent_id}`) },
  ]
}

/** The saved prompts, one's own first. */
export function usePromptEntries(isWanted: boolean, choose: (prompt: Prompt) => void) {
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
