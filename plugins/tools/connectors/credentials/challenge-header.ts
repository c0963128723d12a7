/** One challenge of a header `WWW-Authenticate`. */
interface HeaderChallenge {
  /** In lower case. */
  scheme: string
  /** By name in lower case. */
  parameters: Map<string, string>
}

// A parameter, or the name of a scheme; a value may be quoted with marks that RFC 9110 does not have.
const PART = /([\w!#$%&*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|'([^']*)'|([^\s,;]*)))?[\s,;]*/g

/** Reads all challenges of a header. */
export function readChallenges(header: string): HeaderChallenge[] {
  const challenges: HeaderChallenge[] = []
  for (const [, name = '', quoted, single, plain] of header.matchAll(PART)) {
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? single ?? plain
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), parameters: new Map() })
    else challenges.at(-1)?.parameters.set(name.toLowerCase(), value)
  }
  return challenges
}
