import { AppError, MASK, maskOf } from '#kernel'
import type { ChannelDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import type { KnownKind } from './kinds.ts'

type Config = Record<string, unknown>

/** The fields of a channel that hold its config. */
export type StoredConfig = Pick<ChannelDocument, '_id' | 'config' | 'secret_config'>

/** The configs of channels, in the clear, as they are stored and as they are shown. */
export interface ChannelConfigs {
  /** The whole config, its secrets in the clear. */
  open(channel: StoredConfig): Config
  /** The whole config, its secrets masked. */
  mask(channel: StoredConfig): Config
  /** Checks a config and gives it as it is stored. Throws VALIDATION_FAILED. */
  seal(channel_id: string, config: Config, kind: KnownKind): StoredConfig
  /** A config that was sent, with what is stored in the place of masks; a mask of anything else is refused. */
  unmask(config: Config, kind: KnownKind, stored: StoredConfig | undefined): Config
}

const purposeOf = (id: string) => `channel:${id}`

/** Makes what seals and masks configs. */
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
        const message = 'is a mask and not that of the stored value: send the value itself'
        throw new AppError('VALIDATION_FAILED', {
          issues: [{ path: `/config/${name}`, rule: 'mask', message }],
        })
      })
      return Object.fromEntries(entries)
    },
  }
}
