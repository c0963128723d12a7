/** What looks like a key or a credential of some vendor, whoever's it is. */
const KEY_LIKE = /\b(?:sk|pk|rk|gsk|xai|key|AIza|AKIA|ASIA)[-_]?[\w*.-]{12,}|\bBearer\s+\S+/g

/** Shorter ones are found in texts that have nothing to do with them. */
const MIN_SECRET = 6

/** Makes what cuts secrets, strings at any depth of `values`, and all that looks like a key out of a text. */
export function createRedaction(values: readonly unknown[]): (text: string) => string {
  const secrets = values.flatMap(stringsIn).filter(({ length }) => length >= MIN_SECRET)
  return (text) =>
    secrets.reduce((cut, secret) => cut.replaceAll(secret, '[key]'), text).replace(KEY_LIKE, '[key]')
}

const stringsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}
