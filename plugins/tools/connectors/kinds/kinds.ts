import { AppError, deferSchema, type Issue, type JSONSchema, type Locale, type Validator } from '#kernel'
import type { ConnectorAuth, ConnectorKind } from '#plugin-api'
import type { Cradle } from '../manifest.ts'

/** A kind with the check of its connectors' configs. */
export interface KnownKind extends ConnectorKind {
  /** The names of the fields that are sealed. */
  secret_fields: readonly string[]
  /** Throws VALIDATION_FAILED with paths below `/config`. */
  assertValid(config: Record<string, unknown>): void
}

/** A kind as clients see it. */
export interface KindRow {
  kind: string
  label: string
  description: string | null
  preset: { url: string; documentation: string } | null
  config_schema: JSONSchema
  auth: ConnectorAuth
  admin_only: boolean
}

/** The registered connector kinds. */
export interface ConnectorKinds {
  list(locale: Locale): KindRow[]
  find(kind: string): KnownKind | undefined
  /** Throws CONNECTOR_KIND_UNSUPPORTED. */
  get(kind: string): KnownKind
}

/** The most bytes of a config as JSON. */
const MAX_CONFIG_BYTES = 64 * 1024

/** Creates the view of the registry of kinds that the connectors use. */
export function createConnectorKinds({ extensions }: Pick<Cradle, 'extensions'>): ConnectorKinds {
  const known = new WeakMap<ConnectorKind, KnownKind>()
  const find = (name: string) => {
    const kind = extensions['connectors.kinds'].get(name)
    if (!kind) return undefined
    const full = known.get(kind) ?? completeKind(kind)
    known.set(kind, full)
    return full
  }
  return {
    find,
    get(kind) {
      const found = find(kind)
      if (!found) throw new AppError('CONNECTOR_KIND_UNSUPPORTED', { kind })
      return found
    },
    list: (locale) =>
      extensions['connectors.kinds'].list().map(({ kind, label, description, preset, ...rest }) => ({
        kind,
        label: label[locale],
        description: description?.[locale] ?? null,
        preset: preset ?? null,
        config_schema: rest.config_schema,
        auth: rest.auth,
        admin_only: rest.admin_only ?? false,
      })),
  }
}

function completeKind(kind: ConnectorKind): KnownKind {
  const { properties = {} } = kind.config_schema as { properties?: Record<string, { writeOnly?: boolean }> }
  const check: Validator = deferSchema(kind.config_schema, 'json')
  return {
    ...kind,
    secret_fields: Object.entries(properties).flatMap(([name, { writeOnly }]) => (writeOnly ? [name] : [])),
    assertValid(config) {
      if (Buffer.byteLength(JSON.stringify(config)) > MAX_CONFIG_BYTES)
        throw invalid([{ path: '', rule: 'maxLength', message: `must be at most ${MAX_CONFIG_BYTES} bytes` }])
      try {
        // The check fills in defaults. They are not stored: a later version of the kind may have others.
        check(structuredClone(config))
      } catch (error) {
        throw error instanceof AppError ? invalid(error.details.issues as Issue[], error) : error
      }
    },
  }
}

const invalid = (issues: readonly Issue[], cause?: unknown) =>
  new AppError(
    'VALIDATION_FAILED',
    { issues: issues.map((issue) => ({ ...issue, path: `/config${issue.path}` })) },
    { cause },
  )
