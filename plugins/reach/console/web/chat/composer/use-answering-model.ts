import { t } from '../../i18n/words.ts'
import { useModels } from '../../models/use-models.ts'
import { api, client } from '../../server/client.ts'
import { refresh, send } from '../../server/send.ts'
import { useThreadRow } from '../thread-list.ts'
import type { ListedAgent } from '../use-agent.ts'
import type { Draft } from './draft.ts'

/** The model that answers the next message. */
export interface AnsweringModel {
  /** The model that was chosen for the conversation; null for the default of the agent. */
  chosen: string | null
  /** The name of the model that answers. */
  name: string
  /** The name of the model that answers unless another one is chosen. */
  defaultName: string | undefined
  /** False for a model that is known not to reason. */
  canReason: boolean
  /** The number of tokens that the model reads at once; null if it is unknown. */
  window: number | null
  choose(model: string | null): void
}

interface Options {
  agent: ListedAgent
  /** Without it, the choice is for the thread that the first message begins. */
  thread_id: string | undefined
  draft: Draft
  onFailure(error: unknown): void
}

/** Reads the model that answers in a conversation, and stores the choice of another one with its thread. */
export function useAnsweringModel({ agent, thread_id, draft, onFailure }: Options): AnsweringModel {
  const models = useModels()
  const active = api.useQuery('get', '/models/active', {}, { enabled: agent.default_model === null })
  const thread = useThreadRow(agent.id, thread_id)
  const { settings } = draft.read()
  const chosen = settings.model ?? thread?.model ?? null
  const defaultModel = agent.default_model ?? active.data?.model ?? null
  const find = (id: string | null) => models.find((model) => model.id === id)
  const nameOf = (id: string | null) =>
    id === null ? undefined : find(id)?.name || id.slice(id.indexOf(':') + 1)

  const setModel = (model: string | null) => {
    const { model: _, ...others } = draft.read().settings
    draft.set({ settings: model === null ? others : { ...others, model } })
  }
  const store = async (thread_id: string, model: string | null) => {
    // A message that is sent before the choice is stored names the model itself.
    setModel(model ?? defaultModel)
    try {
      const params = { path: { id: agent.id, thread_id } }
      await send(client.PATCH('/agents/{id}/threads/{thread_id}', { params, body: { model } }))
      await refresh('/threads', '/agents/{id}/threads')
    } catch (error) {
      onFailure(error)
    } finally {
      setModel(null)
    }
  }
  return {
    chosen,
    // Until the model is read, the button says what it is for.
    name: nameOf(chosen ?? defaultModel) ?? t(active.data ? 'chat.model_none' : 'chat.model'),
    defaultName: nameOf(defaultModel),
    canReason: find(chosen ?? defaultModel)?.reasoning !== false,
    window: find(chosen ?? defaultModel)?.context_window ?? null,
    choose: (model) => (thread_id === undefined ? setModel(model) : void store(thread_id, model)),
  }
}
