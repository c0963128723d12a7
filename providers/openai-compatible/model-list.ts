import type { ModelDescription } from '#kernel'

/** The wire says of a model no more than its id, so its use is read from the name. */
const EMBEDDING = /embed|\bbge\b|\be5\b|\bgte\b/i
const NOT_CHAT =
  /whisper|\btts\b|transcri|dall-e|image|\bsora\b|moderation|realtime|audio|rerank|babbage|davinci|turbo-instruct/i

interface ListedModel {
  id?: unknown
  name?: unknown
  display_name?: unknown
  context_length?: unknown
  context_window?: unknown
  max_model_len?: unknown
}

/** Reads an answer to `GET /models`; leaves out what neither chats nor embeds. */
export function describeModels(answer: unknown): ModelDescription[] {
  const list = Array.isArray(answer) ? answer : (answer as { data?: unknown } | null)?.data
  if (!Array.isArray(list)) return []
  return (list as ListedModel[]).flatMap(({ id, ...model }) => {
    if (typeof id !== 'string' || id === '') return []
    const embedding = EMBEDDING.test(id)
    if (!embedding && NOT_CHAT.test(id)) return []
    const name = [model.display_name, model.name].find((text) => typeof text === 'string' && text !== '')
    const context_window = [model.context_length, model.context_window, model.max_model_len].find(
      Number.isSafeInteger,
    )
    return {
      id,
      name: (name as string | undefined) ?? id,
      embedding,
      context_window: context_window as number,
    }
  })
}
