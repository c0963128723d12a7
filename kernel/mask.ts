/** What masks of secrets begin with. */
export const MASK = '••••'

/** The last characters of a secret are shown where it is longer than this. */
const SHORT = 8

/** What is shown in the place of a secret: enough to tell one from another. */
export const maskOf = (secret: string): string =>
  secret.length > SHORT ? `${MASK}${secret.slice(-4)}` : MASK
