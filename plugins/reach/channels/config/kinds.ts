import { AppError, deferSchema, type JSONSchema, type Locale, type Validator } from '#kernel'
import { ChannelFailure, type ChannelKind } from '#plugin-api'
import type { Cradle } from '../manifest.ts'
import { assertUrls } from './addresses.ts'
import { commonSettings } from './common-settings.ts'

/** A kind as clients see it. */
export interface KindRow {
  kind: string
  label: string
  config_schema: JSONSchema
  /** The result of scanning a QR code; null if the kind has no QR codes. */
  registration: 'credentials' | 'channel' | null
}

/** A kind with the schemas and checks of its channels' configs. */
export interface KnownKind extends ChannelKind {
  /** The schema of a complete config, common settings included. */
  full_schema: JSONSchema
  /** The fields that a config may have. */
  properties: Readonly<Record<string, unknown>>
  /** The names of the fields that are sealed. */
  secret_fields: readonly string[]
  /** Checks a config that may lack required fields; throws VALIDATION_FAILED with paths below `/config`. */
  assertFitting(config: Record<string, unknown>): void
  /** Returns the names of the required fields that a config lacks, or the message of the kind's own check. */
  missingIn(config: Record<string, unknown>): string[]
  /** Throws a ChannelFailure if a channel cannot connect with this config. */
  assertComplete(config: Record<string, unknown>): void
}

/** The registered channel kinds. */
export interface ChannelKinds {
  list(locale: Locale): KindRow[]
  find(kind: string): KnownKind | undefined
  /** Throws CHANNEL_KIND_UNSUPPORTED. */
  get(kind: string): KnownKind
}

/** Creates the view of the registry of kinds that the channels use. */
export function createChannelKinds({ extensions }: Pick<Cradle, 'extensions'>): ChannelKinds {
  const known = new WeakMap<ChannelKind, KnownKind>()
  const find = (name: string) => {
    const kind = extensions['channels.kinds'].get(name)
    if (!kind) return undefined
    const full = known.get(kind) ?? completeKind(kind)
    known.set(kind, full)
    return full
  }
  return {
    find,
    get(kind) {
      const found = find(kind)
      if (!found) throw new AppError('CHANNEL_KIND_UNSUPPORTED', { kind })
      return found
    },
    list: (locale) =>
      extensions['channels.kinds'].list().map(({ kind, label, registration }) => ({
        kind,
        label: label[locale],
        config_schema: find(kind)!.full_schema,
        registration: registration?.gives ?? null,
      })),
  }
}

function completeKind(kind: ChannelKind): KnownKind {
  const { required = [], properties: own = {}, ...more } = kind.config_schema as ObjectSchema
  const properties = { ...commonSettings, ...own }
  const full_schema = { ...more, type: 'object', properties, required, additionalProperties: false } as const
  const checkPartly: Validator = deferSchema(
    { type: 'object', properties, additionalProperties: false },
    'json',
  )
  const checkWhole: Validator = deferSchema(full_schema, 'json')
  const missingFields = (config: Record<string, unknown>) =>
    required.filter((name) => config[name] === undefined || config[name] === '')
  return {
    ...kind,
    full_schema,
    properties,
    secret_fields: Object.entries(own).flatMap(([name, { writeOnly }]) => (writeOnly === true ? [name] : [])),
    assertFitting(config) {
      assertShort(config)
      try {
        // The check fills in defaults. They are not stored: a later version of the kind may have others.
        checkPartly(structuredClone(config))
      } catch (error) {
        throw below(error, '/config')
      }
      assertUrls(config, kind)
    },
    missingIn(config) {
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
    assertComplete(config) {
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

/** A page of a list must have room for several channels. */
const MAX_CONFIG_BYTES = 128 * 1024

function assertShort(config: Record<string, unknown>): void {
  if (Buffer.byteLength(JSON.stringify(config)) <= MAX_CONFIG_BYTES) return
  const message = `must be at most ${MAX_CONFIG_BYTES} bytes of JSON`
  throw new AppError('VALIDATION_FAILED', { issues: [{ path: '/config', rule: 'maxLength', message }] })
}

interface ObjectSchema {
  required?: string[]
  properties?: Record<string, { writeOnly?: boolean }>
}

/** Returns a VALIDATION_FAILED error with `place` before each path; other errors unchanged. */
function below(error: unknown, place: string): unknown {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_FAILED') return error
  const issues = (error.details.issues as { path: string }[]).map((issue) => ({
    ...issue,
    path: `${place}${issue.path}`,
  }))
  return new AppError('VALIDATION_FAILED', { issues }, { cause: error })
}
