import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'

/** Encrypts what is stored and must come back in the clear later, e.g. a provider's key. */
export interface Secrets {
  /** Encrypts with AES-256-GCM; returns `v1.<nonce>.<tag>.<text>`, base64url. It opens only for the same `purpose`. */
  seal(text: string, purpose: string): string
  /** Throws if the text was changed, was sealed for another purpose, or with a key that no longer exists. */
  open(sealed: string, purpose: string): string
  /** Seals the text with the present key; undefined if it is already. Throws as `open` does. */
  renew(sealed: string, purpose: string): string | undefined
}

const NONCE_BYTES = 12

/** Makes the box that seals with the first key of a ring and opens with any. */
export function createSecrets({ keys }: Pick<KeyRing, 'keys'>): Secrets {
  /** Returns the text and the key that it was sealed with. */
  function unseal(sealed: string, purpose: string): { text: string; key: Buffer } {
    const [version, ...parts] = sealed.split('.')
    if (version !== 'v1' || parts.length !== 3) throw new Error('a stored secret has an unknown form')
    const [nonce, tag, body] = parts.map((part) => Buffer.from(part, 'base64url'))
    let failure: unknown
    for (const key of keys())
      try {
        const decipher = createDecipheriv('aes-256-gcm', key!, nonce!, { authTagLength: 16 })
          .setAAD(Buffer.from(purpose))
          .setAuthTag(tag!)
        return { text: decipher.update(body!, undefined, 'utf8') + decipher.final('utf8'), key: key! }
      } catch (error) {
        failure = error
      }
    throw failure
  }

  function seal(text: string, purpose: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', keys()[0], nonce).setAAD(Buffer.from(purpose))
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return ['v1', ...[nonce, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join('.')
  }

  return {
    seal,
    open: (sealed, purpose) => unseal(sealed, purpose).text,
    renew(sealed, purpose) {
      const { text, key } = unseal(sealed, purpose)
      return key.equals(keys()[0]) ? undefined : seal(text, purpose)
    },
  }
}

/** The first characters of a masked secret. */
export const MASK = '••••'

/** The last characters of a secret are shown if it is longer than this. */
const SHORT = 8

/** Returns the text that is shown for a secret: enough to tell one from another. */
export const maskOf = (secret: string): string =>
  secret.length > SHORT ? `${MASK}${secret.slice(-4)}` : MASK
