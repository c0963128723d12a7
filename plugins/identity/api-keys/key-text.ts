import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const SECRET_BYTES = 32

/** The prefix lets programs that search code for secrets find keys. */
const FORM = /^svc_([0-9A-HJKMNP-TV-Z]{26})_([0-9a-f]{64})$/

/** The parts of a key's text. */
interface KeyParts {
  id: string
  secret: string
}

/** Makes a secret that cannot be guessed. */
export const makeSecret = (): string => randomBytes(SECRET_BYTES).toString('hex')

/** Returns the text of a key, `svc_<id>_<secret>`. */
export const formatKey = ({ id, secret }: KeyParts): string => `svc_${id}_${secret}`

/** Reads the text of a key; undefined if it has another form. */
export function parseKey(text: string): KeyParts | undefined {
  const [, id, secret] = FORM.exec(text) ?? []
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

const digest = (secret: string) => createHash('sha256').update(secret).digest()

/** Hashes a secret; it is random and long, so that a fast hash suffices. */
export const hashSecret = (secret: string): string => digest(secret).toString('base64url')

/** True if this is the hash of the secret; the comparison takes constant time. */
export const isHashOf = (hash: string, secret: string): boolean =>
  timingSafeEqual(Buffer.from(hash, 'base64url'), digest(secret))
