import { compileFor, compileSchema, createFormCheck, localizedText } from '#kernel'
import { CONNECTOR_AUTHS, type ConnectorKind } from '#plugin-api'

const assertForm = createFormCheck<ConnectorKind>(
  {
    type: 'object',
    properties: {
      kind: { type: 'string', pattern: '^[a-z][a-z0-9_-]{0,63}$' },
      label: localizedText,
      description: localizedText,
      preset: {
        type: 'object',
        properties: {
          url: { type: 'string', format: 'url' },
          documentation: { type: 'string', format: 'url' },
        },
        required: ['url', 'documentation'],
        additionalProperties: false,
      },
      auth: { enum: CONNECTOR_AUTHS },
      config_schema: {
        type: 'object',
        properties: {
          type: { const: 'object' },
          properties: { type: 'object' },
          additionalProperties: { const: false },
        },
        required: ['type', 'properties', 'additionalProperties'],
      },
      addresses: { type: 'array', items: { type: 'string' } },
      admin_only: { const: true },
      target: true,
    },
    required: ['kind', 'label', 'auth', 'config_schema', 'target'],
    additionalProperties: false,
  },
  ['target'],
)

/** Checks the form and the config schema of a connector kind that a plugin registers. */
export function assertConnectorKind(candidate: unknown): ConnectorKind {
  const subject = `connector kind "${(candidate as { kind?: unknown } | null)?.kind}"`
  const kind = assertForm(candidate, subject)
  compileFor(subject, () => compileSchema(kind.config_schema, 'json'))
  return kind
}
