import { AppError, deferSchema, type Issue, type JSONSchema, type Secrets, type Validator } from '#kernel'
import type { ProviderKind } from '#plugin-api'
import type { ProviderDocument } from './types.ts'

type Options = Record<string, unknown>
type StoredOptions = Pick<ProviderDocument, 'options' | 'secret_options'>

const MAX_OPTIONS_BYTES = 32 * 1024

const toPurpose = (id: string) => `provider:${id}:options`

/** Opens the sealed options of a provider. */
export const openSecretOptions = ({ _id, secret_options }: Sealed, secrets: Secrets): Options =>
  secret_options === null ? {} : JSON.parse(secrets.open(secret_options, toPurpose(_id)))

type Sealed = StoredOptions & { _id: string }

/** Checks options against their kind's schema and seals those that the schema marks writeOnly. */
export function sealOptions(
  id: string,
  options: Options,
  kind: ProviderKind,
  secrets: Secrets,
): StoredOptions {
  checkOptions(options, kind)
  const isSecret = ([name]: [string, unknown]) => readProperties(kind)[name]?.writeOnly === true
  const entries = Object.entries(options)
  const sealed = Object.fromEntries(entries.filter(isSecret))
  return {
    options: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    secret_options:
      Object.keys(sealed).length > 0 ? secrets.seal(JSON.stringify(sealed), toPurpose(id)) : null,
  }
}

/** Returns new options of a provider, which replace the old ones; a missing secret stays, and null clears it. */
export function replaceOptions(provider: Sealed, options: Options, secrets: Secrets): Options {
  const old = openSecretOptions(provider, secrets)
  const merged = Object.entries({ ...old, ...options })
  return Object.fromEntries(merged.filter(([name, value]) => value !== null || !(name in old)))
}

const validators = new WeakMap<ProviderKind, Validator>()

function checkOptions(options: Options, kind: ProviderKind): void {
  if (Buffer.byteLength(JSON.stringify(options)) > MAX_OPTIONS_BYTES) {
    const message = `must be at most ${MAX_OPTIONS_BYTES} bytes of JSON`
    throw new AppError('VALIDATION_FAILED', { issues: [{ path: '/options', rule: 'maxLength', message }] })
  }
  const validate = validators.get(kind) ?? deferSchema(kind.config_schema, 'json')
  validators.set(kind, validate)
  try {
    // Validates a copy, because defaults are filled in, and a later version of the kind may have others.
    validate(structuredClone(options))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const issues = (error.details.issues as Issue[]).map((issue) => ({
      ...issue,
      path: `/options${issue.path}`,
    }))
    throw new AppError('VALIDATION_FAILED', { issues })
  }
}

const readProperties = ({ config_schema }: ProviderKind) =>
  (config_schema.properties ?? {}) as Record<string, JSONSchema | undefined>
