import { generateKeyPairSync } from 'node:crypto'

const makeKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

/** The key that test issuers sign with. */
export const signingKey = makeKey()

/** A key of no issuer. */
export const strangeKey = makeKey()
