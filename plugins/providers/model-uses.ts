import type { ModelDescription } from '#plugin-api'

const EMBEDDING = /embed|\bbge\b|\be5\b|\bgte\b/i
const NEITHER =
  /whisper|\btts\b|transcri|dall-e|image|\bsora\b|moderation|realtime|audio|rerank|babbage|davinci|turbo-instruct/i

/** Says by its name whether a model embeds, where its upstream does not; those that neither embed nor chat are left out. */
export const inferUses = (models: readonly ModelDescription[]): ModelDescription[] =>
  models.flatMap((model) => {
    if (model.embedding !== undefined) return [model]
    const embedding = EMBEDDING.test(model.id)
    return !embedding && NEITHER.test(model.id) ? [] : [{ ...model, embedding }]
  })
