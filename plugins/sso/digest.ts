import { createHash, randomBytes } from 'node:crypto'

/** SHA-256, base64url: what is kept of a secret that comes back. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** A secret of 256 bits, 43 characters of base64url. */
export const makeSecret = (): string => randomBytes(32).toString('base64url')
