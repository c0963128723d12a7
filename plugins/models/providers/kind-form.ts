import { compileFor, compileSchema, createFormCheck, localizedText } from '#kernel'
import type { ProviderKind } from '#plugin-api'

const count = { type: 'integer', minimum: 1 } as const

const assertForm = createFormCheck<ProviderKind>(
  {
    type: 'object',
    properties: {
      kind: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,63}$' },
      label: localizedText,
      config_schema: { type: 'object' },
      default_base_url: { type: 'string' },
      requires_base_url: { type: 'boolean' },
      limits: {
        type: 'object',
        properties: { image_bytes: count, images: count },
        additionalProperties: false,
      },
      adaptations: {
        type: 'object',
        propertyNames: { pattern: '^[a-z][a-z0-9_]{0,63}$' },
        additionalProperties: {
          type: 'object',
          properties: { label: localizedText, isNeeded: true },
          required: ['label', 'isNeeded'],
          additionalProperties: false,
        },
      },
      guidance: { type: 'object', additionalProperties: localizedText },
      languageModel: true,
      embeddingModel: true,
      listModels: true,
      explainError: true,
    },
    required: ['kind', 'label', 'config_schema', 'languageModel', 'listModels'],
    additionalProperties: false,
  },
  ['languageModel', 'embeddingModel', 'listModels', 'explainError'],
)

/** Checks the form and the schema of a provider kind that a plugin registers. */
export function assertProviderKind(candidate: unknown): ProviderKind {
  const subject = `provider kind "${(candidate as { kind?: unknown } | null)?.kind}"`
  const kind = assertForm(candidate, subject)
  compileFor(subject, () => compileSchema(kind.config_schema, 'json'))
  return kind
}
