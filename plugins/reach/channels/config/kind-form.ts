import { type ChannelKind, DIALECTS } from '#plugin-api'
import { closedSchema, createKindCheck } from '#toolbox'
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

/** Checks the form and the config schema of a channel kind that a plugin registers. */
export const assertChannelKind = createKindCheck<ChannelKind>('channel kind', {
  properties: {
    config_schema: closedSchema,
    addresses: { type: 'array', items: { type: 'string' } },
    endpoints: { type: 'object', additionalProperties: platformAddress },
    capabilities: {
      type: 'object',
      properties: { direct: capabilities, group: capabilities },
      required: ['direct', 'group'],
      additionalProperties: false,
    },
    probe_takes_over: { type: 'boolean' },
    registration: {
      type: 'object',
      properties: registration,
      required: Object.keys(registration),
      additionalProperties: false,
    },
  },
  required: ['capabilities', 'probe', 'open'],
  functions: ['identity', 'check', 'probe', 'open', 'hook'],
})
