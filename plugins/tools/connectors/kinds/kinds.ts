import {
  AppError,
  CONNECTOR_AUTHS,
  type ConnectorKind,
  closedSchema,
  createConfigCheck,
  createKindCheck,
  createKinds,
  type Locale,
  listSecretFields,
  localizedText,
} from '#plugin-api'
import type { Cradle } from '../manifest.ts'

/** The most bytes of a config as JSON. */
const MAX_CONFIG_BYTES = 64 * 1024

/** Checks the form and the config schema of a connector kind that a plugin registers. */
export const assertConnectorKind = createKindCheck<ConnectorKind>('connector kind', {
  pattern: '^[a-z][a-z0-9_-]{0,63}$',
  properties: {
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
    config_schema: closedSchema,
    addresses: { type: 'array', items: { type: 'string' } },
    admin_only: { const: true },
  },
  required: ['auth', 'target'],
  functions: ['target'],
})

/** A kind with the check of its connectors' configs. */
export type KnownKind = ReturnType<typeof completeKind>

/** The registered connector kinds. */
export type ConnectorKinds = ReturnType<typeof createConnectorKinds>

/** Creates the view of the registry of kinds that the connectors use. */
export function createConnectorKinds({ extensions }: Pick<Cradle, 'extensions'>) {
  const kinds = createKinds(extensions['connectors.kinds'], {
    unsupported: (kind) => new AppError('CONNECTOR_KIND_UNSUPPORTED', { kind }),
    complete: completeKind,
  })
  return {
    ...kinds,
    /** Lists the kinds as clients see them. */
    list: (locale: Locale) =>
      kinds.list().map(({ kind, label, description, preset, config_schema, auth, admin_only }) => ({
        kind,
        label: label[locale],
        description: description?.[locale] ?? null,
        preset: preset ?? null,
        config_schema,
        auth,
        admin_only: admin_only ?? false,
      })),
  }
}

const completeKind = (kind: ConnectorKind) => ({
  ...kind,
  /** The names of the fields that are sealed. */
  secret_fields: listSecretFields(kind.config_schema),
  /** Throws VALIDATION_FAILED with paths below `/config`. */
  assertValid: createConfigCheck(kind.config_schema, { path: '/config', max_bytes: MAX_CONFIG_BYTES }),
})
