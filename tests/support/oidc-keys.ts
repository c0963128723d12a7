import { generateKeyPairSync } from 'node:crypto'

const makeKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

/** The key that issuers of tests sign with. */
export const signingKey = makeKey()

/** A key that is nobody's. */
export const strangeKey = makeKey()
