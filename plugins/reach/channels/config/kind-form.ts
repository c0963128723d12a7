import { compileFor, compileSchema, createFormCheck, localizedText } from '#kernel'
import { type ChannelKind, DIALECTS } from '#plugin-api'
import { platformAddress } from './addresses.ts'

const capabilities = {
  type: 'object',
  properties: {
    dialect: { enum: DIALECTS },
    max_length: { type: 'integer', minimum: 1 },
    length_unit: { enum: ['characters', 'bytes'] },
    max_replies: { type: 'integer', minimum: 1 },
    buttons: { type: 'boolean' },
    live: {
      type: 'object',
      properties: {
        interval_ms: { type: 'integer', minimum: 0 },
        append_only: { type: 'boolean' },
        max_length: { type: 'integer', minimum: 1 },
        max_ms: { type: 'integer', minimum: 1 },
      },
      required: ['interval_ms'],
      additionalProperties: false,
    },
    typing_ms: { type: 'integer', minimum: 1 },
  },
  required: ['dialect', 'max_length', 'length_unit'],
  additionalProperties: false,
} as const

const registration = { gives: { enum: ['credentials', 'channel'] }, begin: true, poll: true }

const assertForm = createFormCheck<ChannelKind>(
  {
    type: 'object',
    properties: {
      kind: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,63}$' },
      label: localizedText,
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
      endpoints: { type: 'object', additionalProperties: platformAddress },
      capabilities: {
        type: 'object',
        properties: { direct: capabilities, group: capabilities },
        required: ['direct', 'group'],
        additionalProperties: false,
      },
      probe_takes_over: { type: 'boolean' },
      identity: true,
      check: true,
      probe: true,
      open: true,
      hook: true,
      registration: {
        type: 'object',
        properties: registration,
        required: Object.keys(registration),
        additionalProperties: false,
      },
    },
    required: ['kind', 'label', 'config_schema', 'capabilities', 'probe', 'open'],
    additionalProperties: false,
  },
  ['identity', 'check', 'probe', 'open', 'hook'],
)

/** Checks the form and the config schema of a channel kind that a plugin registers. */
export function assertChannelKind(candidate: unknown): ChannelKind {
  const subject = `channel kind "${(candidate as { kind?: unknown } | null)?.kind}"`
  const kind = assertForm(candidate, subject)
  compileFor(subject, () => compileSchema(kind.config_schema, 'json'))
  return kind
}
