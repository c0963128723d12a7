import { AppError, MASK, maskOf } from '#kernel'
import type { ChannelDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import type { KnownKind } from './kinds.ts'

type Config = Record<string, unknown>

/** The fields of a channel that hold its config. */
export type StoredConfig = Pick<ChannelDocument, '_id' | 'config' | 'secret_config'>

/** Converts configs of channels between plain, stored and shown. */
export interface ChannelConfigs {
  /** Returns the whole config with its secrets in plain text. */
  open(channel: StoredConfig): Config
  /** Returns the whole config with its secrets masked. */
  mask(channel: StoredConfig): Config
  /** Checks a config and returns it as it is stored. Throws VALIDATION_FAILED. */
  seal(channel_id: string, config: Config, kind: KnownKind): StoredConfig
  /** Replaces the masks in a config by the stored secrets. Throws VALIDATION_FAILED for a mask of another value. */
  unmask(config: Config, kind: KnownKind, stored: StoredConfig | undefined): Config
}

const purposeOf = (id: string) => `channel:${id}`

/** Creates the service that seals and masks configs. */
export function createChannelConfigs({ secrets }: Pick<Cradle, 'secrets'>): ChannelConfigs {
  const secretsOf = ({ _id, secret_config }: StoredConfig): Config =>
    secret_config === null ? {} : JSON.parse(secrets.open(secret_config, purposeOf(_id)))

  return {
    open: (channel) => ({ ...channel.config, ...secretsOf(channel) }),

    mask(channel) {
      const masked = Object.entries(secretsOf(channel)).map(([name, secret]) => [
        name,
        maskOf(String(secret)),
      ])
      return { ...channel.config, ...Object.fromEntries(masked) }
    },

    seal(_id, config, kind) {
      kind.assertFitting(config)
      const isSecret = ([name]: [string, unknown]) => kind.secret_fields.includes(name)
      const entries = Object.entries(config)
      const sealed = Object.fromEntries(entries.filter(isSecret))
      const hasSecrets = Object.keys(sealed).length > 0
      return {
        _id,
        config: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
        secret_config: hasSecrets ? secrets.seal(JSON.stringify(sealed), purposeOf(_id)) : null,
      }
    },

    unmask(config, kind, stored) {
      const old = stored ? secretsOf(stored) : {}
      const entries = Object.entries(config).map(([name, value]) => {
        if (!kind.secret_fields.includes(name) || typeof value !== 'string' || !value.startsWith(MASK))
          return [name, value]
        if (Object.hasOwn(old, name) && maskOf(String(old[name])) === value) return [name, old[name]]
        const message = 'is not the mask of the stored value: send the value itself'
        throw new AppError('VALIDATION_FAILED', {
          issues: [{ path: `/config/${name}`, rule: 'mask', message }],
        })
      })
      return Object.fromEntries(entries)
    },
  }
}
