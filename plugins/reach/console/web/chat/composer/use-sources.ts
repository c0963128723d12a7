import { useState } from 'react'
import { t } from '../../i18n/words.ts'
import { api, client } from '../../server/client.ts'
import { useFacts } from '../../server/facts.ts'
import { useRows } from '../../server/pages.ts'
import { refresh, send } from '../../server/send.ts'
import type { SendSettings } from '../store/thread-store.ts'
import { useThreadRow } from '../thread-list.ts'
import type { ListedAgent } from '../use-agent.ts'

interface Options {
  agent: ListedAgent
  /** Without it, the choices are for the thread that the first message begins. */
  thread_id: string | undefined
  settings: SendSettings
  onChange(changes: Partial<SendSettings>): void
}

/** Knowledge bases or connectors, of which some are on in a conversation. */
export interface Sources {
  label: string
  items: { id: string; name: string }[]
  /** The ids of those that are chosen for the conversation. */
  chosen: string[]
  /** The ids of those that are chosen elsewhere: by the agent, or for all conversations. */
  always: string[]
  choose(chosen: string[]): void
  error: unknown
}

/** The whole list. Other pages change it, so it is read again when a conversation is opened. */
const ALL = { query: { limit: 200 } }
const FRESH_MS = 30_000

/** The knowledge bases that a conversation searches besides the knowledge bases of its agent. */
export function useKnowledge({ agent: { id, is_owner }, thread_id, settings, onChange }: Options): Sources {
  const enabled = useFacts().features.knowledge ?? false
  const { rows = [] } = useRows('/knowledge-bases', ALL, { enabled, staleTime: FRESH_MS })
  const path = { id }
  const hasRows = rows.length > 0
  const agent = api.useQuery('get', '/agents/{id}', { params: { path } }, { enabled: is_owner && hasRows })
  const thread = useThreadRow(id, thread_id)
  // A choice is shown right away, and taken back if it could not be stored.
  const [pendingIds, setPendingIds] = useState<string[]>()
  const [error, setError] = useState<unknown>()
  const defaults = () => rows.flatMap(({ id, is_owner, is_default }) => (is_owner && is_default ? [id] : []))
  const ids =
    thread_id === undefined
      ? (settings.knowledge_base_ids ?? defaults())
      : (pendingIds ?? thread?.knowledge_base_ids ?? [])

  const store = async (thread_id: string, knowledge_base_ids: string[]) => {
    const params = { path: { id, thread_id } }
    setPendingIds(knowledge_base_ids)
    setError(undefined)
    try {
      await send(client.PATCH('/agents/{id}/threads/{thread_id}', { params, body: { knowledge_base_ids } }))
      await refresh('/threads', '/agents/{id}/threads')
    } catch (reason) {
      setError(reason)
    } finally {
      setPendingIds(undefined)
    }
  }
  return {
    label: t('chat.knowledge'),
    items: rows,
    chosen: rows.flatMap(({ id }) => (ids.includes(id) ? [id] : [])),
    always: agent.data?.knowledge_base_ids ?? [],
    choose: (knowledge_base_ids) =>
      thread_id === undefined ? onChange({ knowledge_base_ids }) : void store(thread_id, knowledge_base_ids),
    error,
  }
}

/** The connectors whose tools the agent has in a conversation, besides its own. */
export function useConnectors({ agent: { id, is_owner }, settings, onChange }: Options): Sources {
  const enabled = useFacts().features.connectors ?? false
  const { rows = [] } = useRows('/connectors', ALL, { enabled, staleTime: FRESH_MS })
  const params = { path: { id } }
  const hasRows = rows.length > 0
  const { data } = api.useQuery(
    'get',
    '/agents/{id}/connectors',
    { params },
    { enabled: is_owner && hasRows },
  )
  const { connector_ids = [] } = settings
  return {
    label: t('chat.connectors'),
    items: rows,
    chosen: rows.flatMap(({ id }) => (connector_ids.includes(id) ? [id] : [])),
    always: [
      ...(data?.connectors ?? []).map(({ id }) => id),
      ...rows.flatMap(({ id, is_default }) => (is_default ? [id] : [])),
    ],
    choose: (connector_ids) => onChange({ connector_ids }),
    error: undefined,
  }
}

/** The names of those that are on. */
export const namesOf = ({ items, chosen, always }: Sources): string[] =>
  items.flatMap(({ id, name }) => (chosen.includes(id) || always.includes(id) ? [name] : []))
