import {
  AppError,
  createConfigCheck,
  createKindCheck,
  createKinds,
  listSecretFields,
  localizedText,
  type ProviderKind,
} from '#plugin-api'
import type { Cradle } from './manifest.ts'

/** The most bytes of options as JSON. */
const MAX_OPTIONS_BYTES = 32 * 1024

const count = { type: 'integer', minimum: 1 } as const

/** Checks the form and the schema of a provider kind that a plugin registers. */
export const assertProviderKind = createKindCheck<ProviderKind>('provider kind', {
  properties: {
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
  },
  required: ['listModels'],
  functions: [
    'languageModel',
    'embeddingModel',
    'imageModel',
    'speechModel',
    'transcriptionModel',
    'rerankingModel',
    'listModels',
    'explainError',
  ],
})

/** A kind with the check of its providers' options. */
export type KnownKind = ReturnType<typeof completeKind>

/** Creates the view of the registry of kinds that the providers use. */
export const createProviderKinds = ({ extensions }: Pick<Cradle, 'extensions'>) =>
  createKinds(extensions['providers.kinds'], {
    unsupported: (kind) => new AppError('PROVIDER_KIND_UNSUPPORTED', { kind }),
    complete: completeKind,
  })

const completeKind = (kind: ProviderKind) => ({
  ...kind,
  /** The names of the options that are sealed. */
  secret_fields: listSecretFields(kind.config_schema),
  /** Throws VALIDATION_FAILED with paths below `/options`. */
  assertOptions: createConfigCheck(kind.config_schema, { path: '/options', max_bytes: MAX_OPTIONS_BYTES }),
})
