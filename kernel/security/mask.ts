/** The first characters of a masked secret. */
export const MASK = '••••'

/** The last characters of a secret are shown if it is longer than this. */
const SHORT = 8

/** Returns the text that is shown for a secret: enough to tell one from another. */
export const maskOf = (secret: string): string =>
  secret.length > SHORT ? `${MASK}${secret.slice(-4)}` : MASK
