import { createHash, randomBytes } from 'node:crypto'

const CODES = 10
const CODE_CHARACTERS = 16
/** Without letters that look like others. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const FORM = new RegExp(`^[${ALPHABET}]{${CODE_CHARACTERS}}$`)

/** Makes ten recovery codes of 80 random bits, as people write them: `xxxx-xxxx-xxxx-xxxx`. */
export const makeRecoveryCodes = (): string[] =>
  Array.from({ length: CODES }, () => {
    const characters = Array.from(randomBytes(CODE_CHARACTERS), (byte) => ALPHABET[byte & 31])
    return characters.join('').replace(/(?<=.)(?=(.{4})+$)/g, '-')
  })

/** Returns the plain form of what a user entered as a recovery code; undefined if it has another form. */
export function parseRecoveryCode(text: string): string | undefined {
  const plain = text.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1')
  return FORM.test(plain) ? plain : undefined
}

/** Hashes a recovery code of an account; codes are random and long, so that a fast hash suffices. */
export const hashRecoveryCode = (user_id: string, code: string): string =>
  createHash('sha256')
    .update(`${user_id} ${parseRecoveryCode(code)}`)
    .digest('base64url')
