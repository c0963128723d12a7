import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { chmodSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from './config.ts'

/** Encrypts what is stored and must come back in the clear later, e.g. a provider's key. */
export interface Secrets {
  /** AES-256-GCM; gives `v1.<nonce>.<tag>.<text>`, base64url. `purpose` must be the same to open it. */
  seal(text: string, purpose: string): string
  /** Throws where the text was changed, was sealed for another purpose or with another key. */
  open(sealed: string, purpose: string): string
}

const KEY_BYTES = 32
const NONCE_BYTES = 12

/** Reads the key file of this home, or makes it (0600, also when several processes start at once). */
export function loadSecretKey(home: string): Buffer {
  const path = join(home, 'secret.key')
  const candidate = join(home, `.secret.key.${process.pid}`)
  writeFileSync(candidate, randomBytes(KEY_BYTES).toString('base64url'), { mode: 0o600 })
  try {
    linkSync(candidate, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(candidate)
  }
  chmodSync(path, 0o600)
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url')
  if (key.length !== KEY_BYTES) throw new ConfigError(`${path} does not hold a key of ${KEY_BYTES} bytes`)
  return key
}

/** Makes the box that seals and opens with one key. */
export function createSecrets(key: Buffer): Secrets {
  return {
    seal(text, purpose) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return ['v1', ...[nonce, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join('.')
    },
    open(sealed, purpose) {
      const [version, ...parts] = sealed.split('.')
      if (version !== 'v1' || parts.length !== 3) throw new Error('a stored secret has an unknown form')
      const [nonce, tag, body] = parts.map((part) => Buffer.from(part, 'base64url'))
      const decipher = createDecipheriv('aes-256-gcm', key, nonce!, { authTagLength: 16 })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(tag!)
      return decipher.update(body!, undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
