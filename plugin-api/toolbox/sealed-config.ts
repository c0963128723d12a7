import { AppError, type JSONSchema, MASK, maskOf, type Secrets } from '#kernel'

type Config = Readonly<Record<string, unknown>>
type Path = readonly string[]

/** The fields of a document that hold its config. */
export interface StoredConfig {
  _id: string
  /** The config without its secret fields. */
  config: Record<string, unknown>
  /** The secret fields as encrypted JSON; null if there are none. */
  secret_config: string | null
}

/** The part of a kind that names its secret fields. */
interface WithSecrets {
  secret_fields: readonly string[]
}

/** Lists the fields that are secret: those that the schema of a config, or a schema within theirs, marks writeOnly. */
export function listSecretFields({ properties = {} }: JSONSchema): string[] {
  const isSecret = (schema: unknown): boolean =>
    typeof schema === 'object' &&
    schema !== null &&
    ((schema as JSONSchema).writeOnly === true || Object.values(schema).some(isSecret))
  return Object.entries(properties as object).flatMap(([name, schema]) => (isSecret(schema) ? [name] : []))
}

/** Converts configs between plain, stored and shown. */
export type SealedConfigs = ReturnType<typeof createSealedConfigs>

/**
 * Creates the service that seals and masks configs whose documents are called `noun`. Every value within a secret field
 * is a secret, however deep it is. `configPath` is the pointer to the config in the body of a request.
 */
export function createSealedConfigs(noun: string, { secrets }: { secrets: Secrets }, configPath = '/config') {
  const toPurpose = (id: string) => `${noun}:${id}`
  const toPointer = (path: Path) => [configPath, ...path.map(escapePointer)].join('/')
  const openSecrets = ({ _id, secret_config }: StoredConfig): Config =>
    secret_config === null ? {} : JSON.parse(secrets.open(secret_config, toPurpose(_id)))
  const pickSecrets = (config: Config, { secret_fields }: WithSecrets): Config =>
    Object.fromEntries(Object.entries(config).filter(([name]) => secret_fields.includes(name)))

  return {
    /** Returns the whole config with its secrets in plain text. */
    open: (stored: StoredConfig): Record<string, unknown> => ({ ...stored.config, ...openSecrets(stored) }),

    /** Returns the whole config with its secrets masked. */
    mask: (stored: StoredConfig): Record<string, unknown> => ({
      ...stored.config,
      ...mapValues(openSecrets(stored), (secret) => maskOf(String(secret))),
    }),

    /** Returns a config as it is stored. */
    seal(_id: string, config: Config, kind: WithSecrets): StoredConfig {
      const secret = pickSecrets(config, kind)
      const hasSecrets = Object.keys(secret).length > 0
      return {
        _id,
        config: Object.fromEntries(Object.entries(config).filter(([name]) => !Object.hasOwn(secret, name))),
        secret_config: hasSecrets ? secrets.seal(JSON.stringify(secret), toPurpose(_id)) : null,
      }
    },

    /** Replaces the masks in a config by the stored secrets. Throws VALIDATION_FAILED for a mask of another value. */
    unmask(config: Config, kind: WithSecrets, stored?: StoredConfig): Record<string, unknown> {
      const storedSecrets = stored && openSecrets(stored)
      const opened = mapValues(pickSecrets(config, kind), (value, path) => {
        if (typeof value !== 'string' || !value.startsWith(MASK)) return value
        const secret = readPath(storedSecrets, path)
        if (isValue(secret) && maskOf(String(secret)) === value) return secret
        const message = 'is not the mask of the stored value: send the value itself'
        throw new AppError('VALIDATION_FAILED', {
          issues: [{ path: toPointer(path), rule: 'mask', message }],
        })
      })
      return { ...config, ...opened }
    },

    /** Throws VALIDATION_FAILED for the secrets of a config that were not sent in plain text, but were stored before. */
    assertAllSent(sent: Config, config: Config, kind: WithSecrets): void {
      const unsentPaths: string[] = []
      mapValues(pickSecrets(config, kind), (_, path) => {
        const value = readPath(sent, path)
        if (!isValue(value) || String(value).startsWith(MASK)) unsentPaths.push(toPointer(path))
      })
      if (unsentPaths.length > 0) throw secretsElsewhere(unsentPaths)
    },
  }
}

const escapePointer = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** True for a text, a number or a boolean, which is shown as a mask. */
const isValue = (value: unknown): boolean =>
  value !== undefined && value !== null && typeof value !== 'object'

/** Maps the texts, numbers and booleans in an object, at any depth. */
function mapValues(
  object: Config,
  map: (value: unknown, path: Path) => unknown,
  path: Path = [],
): Record<string, unknown> {
  const mapPart = (part: unknown, partPath: Path): unknown => {
    if (Array.isArray(part)) return part.map((item, index) => mapPart(item, [...partPath, String(index)]))
    if (isValue(part)) return map(part, partPath)
    return part && mapValues(part as Config, map, partPath)
  }
  return Object.fromEntries(
    Object.entries(object).map(([name, part]) => [name, mapPart(part, [...path, name])]),
  )
}

const readPath = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (part, name) =>
      typeof part === 'object' && part !== null && Object.hasOwn(part, name)
        ? (part as Config)[name]
        : undefined,
    value,
  )

/**
 * Returns the place that an address leads to: its scheme, host and port. Secrets that were entered for one place are
 * not sent to another.
 */
export function placeOf(address: unknown): unknown {
  if (typeof address !== 'string' || !URL.canParse(address)) return address
  const { protocol, host } = new URL(address)
  return `${protocol}//${host}`
}

/** Returns VALIDATION_FAILED for secrets, by their paths in the body, that a change of the address does not send again. */
export const secretsElsewhere = (paths: readonly string[]): AppError =>
  new AppError('VALIDATION_FAILED', {
    issues: paths.map((path) => ({
      path,
      rule: 'address',
      message: 'was entered for another address: send the value itself, or null to remove it',
    })),
  })
