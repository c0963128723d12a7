import {
  AppError,
  ChannelFailure,
  type ChannelKind,
  closedSchema,
  createConfigCheck,
  createKindCheck,
  createKinds,
  DIALECTS,
  deferSchema,
  type JSONSchema,
  type Locale,
  listSecretFields,
  type Validator,
} from '#plugin-api'
import type { Cradle } from '../manifest.ts'
import { assertUrls, platformAddress } from './addresses.ts'
import { commonSettings } from './common-settings.ts'

type Config = Record<string, unknown>

/** A page of a list must have room for several channels. */
const MAX_CONFIG_BYTES = 128 * 1024

/** A kind with the schemas and checks of its channels' configs. */
export type KnownKind = ReturnType<typeof completeKind>

/** The registered channel kinds. */
export type ChannelKinds = ReturnType<typeof createChannelKinds>

/** Creates the view of the registry of kinds that the channels use. */
export function createChannelKinds({ extensions }: Pick<Cradle, 'extensions'>) {
  const kinds = createKinds(extensions['channels.kinds'], {
    unsupported: (kind) => new AppError('CHANNEL_KIND_UNSUPPORTED', { kind }),
    complete: completeKind,
  })
  return {
    ...kinds,
    /** Lists the kinds as clients see them. */
    list: (locale: Locale) =>
      kinds.list().map(({ kind, label, full_schema, registration }) => ({
        kind,
        label: label[locale],
        config_schema: full_schema,
        registration: registration?.gives ?? null,
      })),
  }
}

function completeKind(kind: ChannelKind) {
  const { required = [], properties: own = {}, ...more } = kind.config_schema as ObjectSchema
  const properties: Readonly<Record<string, JSONSchema>> = { ...commonSettings, ...own }
  const full_schema: JSONSchema = {
    ...more,
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  }
  const checkPartly = createConfigCheck(
    { type: 'object', properties, additionalProperties: false },
    { path: '/config', max_bytes: MAX_CONFIG_BYTES },
  )
  const checkWhole: Validator = deferSchema(full_schema, 'json')
  const missingFields = (config: Config) =>
    required.filter((name) => config[name] === undefined || config[name] === '')
  return {
    ...kind,
    /** The schema of a complete config, common settings included. */
    full_schema,
    /** The fields that a config may have. */
    properties,
    /** The names of the fields that are sealed. */
    secret_fields: listSecretFields(kind.config_schema),
    /** Checks a config that may lack required fields; throws VALIDATION_FAILED with paths below `/config`. */
    assertFitting(config: Config): void {
      checkPartly(config)
      assertUrls(config, kind)
    },
    /** Returns the names of the required fields that a config lacks, or the message of the kind's own check. */
    missingIn(config: Config): string[] {
      const missing = missingFields(config)
      if (missing.length > 0) return missing
      try {
        kind.check?.(config)
      } catch (error) {
        const { reason, message } = error as ChannelFailure
        if (reason === 'missing_field') return [message]
      }
      return []
    },
    /** Throws a ChannelFailure if a channel cannot connect with this config. */
    assertComplete(config: Config): void {
      const missing = missingFields(config)
      if (missing.length > 0) throw new ChannelFailure('missing_field', missing.join(', '))
      try {
        checkWhole(config)
      } catch (error) {
        const [issue] = (error as AppError).details.issues as { path: string; message: string }[]
        throw new ChannelFailure('unsupported', `${issue!.path} ${issue!.message}`, { cause: error })
      }
      kind.check?.(config)
    },
  }
}

interface ObjectSchema {
  required?: string[]
  properties?: Record<string, JSONSchema>
}

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
