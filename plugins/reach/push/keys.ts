import { isDuplicateKey } from '#plugin-api'
import { loadWebPush } from './library.ts'
import type { Cradle } from './manifest.ts'

const ID = 'vapid'
/** The purpose that the private key is sealed for. */
export const KEY_PURPOSE = 'push.vapid'

/** The VAPID key pair of this database (RFC 8292), base64url. */
export type PushKeys = ReturnType<typeof createPushKeys>

/** Creates the store of the key pair; the first process that needs it makes it, once for all. */
export function createPushKeys({
  collections: { push_keys },
  secrets,
}: Pick<Cradle, 'collections' | 'secrets'>) {
  const create = async () => {
    const { publicKey: public_key, privateKey } = (await loadWebPush()).generateVAPIDKeys()
    try {
      await push_keys.insertOne({ _id: ID, public_key, private_key: secrets.seal(privateKey, KEY_PURPOSE) })
    } catch (error) {
      // Lost the race: another process created the keys.
      if (!isDuplicateKey(error)) throw error
    }
    return (await push_keys.findOne({ _id: ID }))!
  }

  return {
    async read(): Promise<{ publicKey: string; privateKey: string }> {
      const { public_key, private_key } = (await push_keys.findOne({ _id: ID })) ?? (await create())
      return { publicKey: public_key, privateKey: secrets.open(private_key, KEY_PURPOSE) }
    },
  }
}
