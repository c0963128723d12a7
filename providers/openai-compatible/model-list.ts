import type { ModelDescription } from '#plugin-api'

interface ListedModel {
  id?: unknown
  name?: unknown
  display_name?: unknown
  context_length?: unknown
  context_window?: unknown
  max_model_len?: unknown
}

/** Reads an answer to `GET /models`, which does not say what a model can do. */
export function describeModels(answer: unknown): ModelDescription[] {
  const list = Array.isArray(answer) ? answer : (answer as { data?: unknown } | null)?.data
  if (!Array.isArray(list)) return []
  return (list as ListedModel[]).flatMap(({ id, ...model }) => {
    if (typeof id !== 'string' || id === '') return []
    const name = [model.display_name, model.name].find((text) => typeof text === 'string' && text !== '')
    const context_window = [model.context_length, model.context_window, model.max_model_len].find(
      Number.isSafeInteger,
    )
    return { id, name: (name as string | undefined) ?? id, context_window: context_window as number }
  })
}
