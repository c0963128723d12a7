import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { isDuplicateKey } from '#kernel'
import type { Cradle } from './manifest.ts'
import type { SigningKeyDocument } from './types.ts'

const ID = 'jwt'
const PURPOSE = 'jwt'
const KEY_BYTES = 32

/** The secret that tokens are signed with, and the number of the rotation that made it. */
export interface SigningKey {
  secret: KeyObject
  epoch: number
}

/** Keeps the signing key in the database, sealed, and what this process knows of it in memory. */
export type SigningKeys = ReturnType<typeof createSigningKeys>

/** Makes the keeper of the signing key. */
export function createSigningKeys({
  collections: { signing_keys },
  secrets,
  clock,
}: Pick<Cradle, 'collections' | 'secrets' | 'clock'>) {
  let known: SigningKey | undefined

  const fresh = () => ({
    sealed: secrets.seal(randomBytes(KEY_BYTES).toString('base64url'), PURPOSE),
    created_at: clock.seconds(),
  })

  const open = ({ sealed, epoch }: SigningKeyDocument): SigningKey => {
    try {
      return { secret: createSecretKey(secrets.open(sealed, PURPOSE), 'base64url'), epoch }
    } catch (cause) {
      const advice = 'restore that file in the home, or make a new key with "svc admin rotate-jwt-secret"'
      throw new Error(`the signing key in the database was sealed with another secret.key: ${advice}`, {
        cause,
      })
    }
  }

  /** Reads the key, which the first reader of all makes. */
  const read = async (): Promise<SigningKey> => {
    const stored = (await signing_keys.findOne({ _id: ID })) ?? (await make())
    known = open(stored)
    return known
  }

  const make = async (): Promise<SigningKeyDocument> => {
    try {
      await signing_keys.insertOne({ _id: ID, ...fresh(), epoch: 1 })
    } catch (error) {
      // Another process was faster; its key is the one.
      if (!isDuplicateKey(error)) throw error
    }
    return (await signing_keys.findOne({ _id: ID }))!
  }

  return {
    /** The key as it is in the database now. */
    read,

    /** The secret of an epoch; nothing where that is not the present one. */
    async find(epoch: number): Promise<KeyObject | undefined> {
      const key = known?.epoch === epoch ? known : await read()
      return key.epoch === epoch ? key.secret : undefined
    },

    /** Replaces the key; gives the new epoch. */
    async rotate(): Promise<number> {
      const { epoch } = (await signing_keys.findOneAndUpdate(
        { _id: ID },
        { $set: fresh(), $inc: { epoch: 1 } },
        { upsert: true, returnDocument: 'after' },
      ))!
      return epoch
    },
  }
}
