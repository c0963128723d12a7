import type { TypeOf } from '#kernel'
import type { ModelDescription } from '#plugin-api'
import type { listedModel } from './schemas.ts'

/** A model as a provider has it, all that is known of it said. */
export const toListedModel = (model: ModelDescription): TypeOf<typeof listedModel> => ({
  id: model.id,
  name: model.name,
  enabled: model.enabled ?? true,
  embedding: model.embedding ?? false,
  context_window: model.context_window ?? null,
  max_output_tokens: model.max_output_tokens ?? null,
  input: model.input ?? ['text'],
  reasoning: model.reasoning ?? false,
})
