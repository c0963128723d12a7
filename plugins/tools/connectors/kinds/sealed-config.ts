import { AppError, MASK, maskOf } from '#kernel'
import type { Cradle } from '../manifest.ts'
import type { ConnectorDocument } from '../types.ts'
import type { KnownKind } from './kinds.ts'

type Config = Record<string, unknown>

/** The fields of a connector that hold its config. */
export type StoredConfig = Pick<ConnectorDocument, '_id' | 'config' | 'secret_config'>

/** Converts configs of connectors between plain, stored and shown. */
export type ConnectorConfigs = ReturnType<typeof createConnectorConfigs>

const purposeOf = (id: string) => `connector:${id}`

/** Creates the service that seals and masks configs. */
export function createConnectorConfigs({ secrets }: Pick<Cradle, 'secrets'>) {
  const secretsOf = ({ _id, secret_config }: StoredConfig): Config =>
    secret_config === null ? {} : JSON.parse(secrets.open(secret_config, purposeOf(_id)))

  return {
    /** Returns the whole config with its secrets in plain text. */
    open: (connector: StoredConfig): Config => ({ ...connector.config, ...secretsOf(connector) }),

    /** Returns the whole config with its secrets masked. */
    mask: (connector: StoredConfig): Config => ({
      ...connector.config,
      ...mapTexts(secretsOf(connector), (secret) => maskOf(secret)),
    }),

    /** Returns a config as it is stored. */
    seal(_id: string, config: Config, { secret_fields }: KnownKind): StoredConfig {
      const entries = Object.entries(config)
      const sealed = entries.filter(([name]) => secret_fields.includes(name))
      const text = JSON.stringify(Object.fromEntries(sealed))
      return {
        _id,
        config: Object.fromEntries(entries.filter(([name]) => !secret_fields.includes(name))),
        secret_config: sealed.length > 0 ? secrets.seal(text, purposeOf(_id)) : null,
      }
    },

    /** Replaces the masks in a config by the stored secrets. Throws VALIDATION_FAILED for a mask of another value. */
    unmask(config: Config, { secret_fields }: KnownKind, stored: StoredConfig | undefined): Config {
      const old = stored ? secretsOf(stored) : {}
      const secret = Object.entries(config).filter(([name]) => secret_fields.includes(name))
      const opened = mapTexts(Object.fromEntries(secret), (value, path) => {
        if (!value.startsWith(MASK)) return value
        const before = path.reduce<unknown>((part, name) => readOwn(part, name), old)
        if (typeof before === 'string' && maskOf(before) === value) return before
        const issue = {
          path: `/config/${path.join('/')}`,
          rule: 'mask',
          message: 'is not the mask of the stored value: send the value itself',
        }
        throw new AppError('VALIDATION_FAILED', { issues: [issue] })
      })
      return { ...config, ...opened }
    },

    /** Lists the paths of the secrets in a config that were not sent in the clear, but are those that were stored. */
    listKept(sent: Config, config: Config, { secret_fields }: KnownKind): (readonly string[])[] {
      const kept: (readonly string[])[] = []
      const secret = Object.entries(config).filter(([name]) => secret_fields.includes(name))
      mapTexts(Object.fromEntries(secret), (value, path) => {
        const text = path.reduce<unknown>((part, name) => readOwn(part, name), sent)
        if (typeof text !== 'string' || text.startsWith(MASK)) kept.push(path)
        return value
      })
      return kept
    },
  }
}

/** Maps the texts among the values of an object, and among those of the objects in it. */
function mapTexts(
  object: Config,
  map: (text: string, path: readonly string[]) => string,
  path: readonly string[] = [],
): Config {
  const entries = Object.entries(object).map(([name, value]) => {
    const here = [...path, name]
    if (typeof value === 'string') return [name, map(value, here)]
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return [name, isObject && path.length === 0 ? mapTexts(value as Config, map, here) : value]
  })
  return Object.fromEntries(entries)
}

const readOwn = (part: unknown, name: string): unknown =>
  typeof part === 'object' && part !== null && Object.hasOwn(part, name) ? (part as Config)[name] : undefined
