/** Text in the form of a vendor's key or credential. */
const KEY_LIKE = /\b(?:sk|pk|rk|gsk|xai|key|AIza|AKIA|ASIA)[-_]?[\w*.-]{12,}|\bBearer\s+\S+/g

/** Shorter secrets would match unrelated text. */
const MIN_SECRET_CHARS = 6

/** Creates the function that removes from a text all strings in `values`, at any depth, and everything like a key. */
export function createRedaction(values: readonly unknown[]): (text: string) => string {
  const secrets = values.flatMap(listStrings).filter(({ length }) => length >= MIN_SECRET_CHARS)
  return (text) =>
    secrets.reduce((cut, secret) => cut.replaceAll(secret, '[key]'), text).replace(KEY_LIKE, '[key]')
}

const listStrings = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listStrings) : []
}
