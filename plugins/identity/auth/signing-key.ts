import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { type Command, isDuplicateKey } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { SigningKeyDocument } from './types.ts'

const ID = 'jwt'
const PURPOSE = 'jwt'
const KEY_BYTES = 32

/** The secret that signs tokens; the epoch counts its rotations. */
interface SigningKey {
  secret: KeyObject
  epoch: number
}

/** Stores the signing key encrypted in the database and caches it in this process. */
export type SigningKeys = ReturnType<typeof createSigningKeys>

/** Creates the store of the signing key. */
export function createSigningKeys({
  collections: { signing_keys },
  secrets,
  clock,
}: Pick<Cradle, 'collections' | 'secrets' | 'clock'>) {
  let cachedKey: SigningKey | undefined

  const makeKey = () => ({
    sealed: secrets.seal(randomBytes(KEY_BYTES).toString('base64url'), PURPOSE),
    created_at: clock.seconds(),
  })

  const open = ({ sealed, epoch }: SigningKeyDocument): SigningKey => {
    try {
      return { secret: createSecretKey(secrets.open(sealed, PURPOSE), 'base64url'), epoch }
    } catch (cause) {
      const advice =
        'restore that file in the home, or create a new signing key with "svc admin rotate-jwt-secret"'
      throw new Error(`the signing key in the database was encrypted with another secret.key: ${advice}`, {
        cause,
      })
    }
  }

  /** Reads the key from the database; the first process to read it creates it. */
  const read = async (): Promise<SigningKey> => {
    const stored = (await signing_keys.findOne({ _id: ID })) ?? (await create())
    cachedKey = open(stored)
    return cachedKey
  }

  const create = async (): Promise<SigningKeyDocument> => {
    try {
      await signing_keys.insertOne({ _id: ID, ...makeKey(), epoch: 1 })
    } catch (error) {
      // Lost the race: another process created the key.
      if (!isDuplicateKey(error)) throw error
    }
    return (await signing_keys.findOne({ _id: ID }))!
  }

  return {
    read,

    /** Returns the secret of an epoch; undefined unless that is the present epoch. */
    async find(epoch: number): Promise<KeyObject | undefined> {
      const key = cachedKey?.epoch === epoch ? cachedKey : await read()
      return key.epoch === epoch ? key.secret : undefined
    },

    /** Replaces the key; returns the new epoch. */
    async rotate(): Promise<number> {
      const { epoch } = (await signing_keys.findOneAndUpdate(
        { _id: ID },
        { $set: makeKey(), $inc: { epoch: 1 } },
        { upsert: true, returnDocument: 'after' },
      ))!
      return epoch
    },
  }
}

/** `svc admin rotate-jwt-secret`: replaces the signing key and ends every session. */
export const rotateCommand: Command<Cradle> = {
  name: 'admin rotate-jwt-secret',
  summary: 'Replace the secret that signs tokens; everybody must sign in again',
  options: [{ flags: '--json', summary: 'print JSON' }],
  audit: 'auth.rotate_jwt_secret',
  database: true,
  async run({ options, stdout }, { signingKeys, sessions }) {
    const epoch = await signingKeys.rotate()
    // After the rotation, so that a session opened in between either ends here or has a token of the new key.
    const sessions_ended = await sessions.endEverybody()
    const text = options.json
      ? JSON.stringify({ epoch, sessions_ended })
      : `The secret is new (epoch ${epoch}), sessions ended: ${sessions_ended}. Everybody must sign in again.`
    stdout.write(`${text}\n`)
    return 0
  },
}
