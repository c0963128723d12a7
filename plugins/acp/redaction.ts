import { MASK } from '#kernel'
import type { Env } from './runner-env.ts'

/** Shorter values are found in texts that have nothing to do with them. */
const MIN_LENGTH = 4

/** Puts a mask in the place of the values of a runner's environment. */
export interface Redaction {
  redact(text: string): string
  /** The first characters of a text. */
  head(text: string, characters: number): string
  /** The last characters of a text, of which all but the last `tailLength(characters)` may be gone. */
  tail(text: string, characters: number): string
  tailLength(characters: number): number
}

/** Makes it for an environment; its values are found as they are and as they stand in JSON and in URLs. */
export function createRedaction(env: Env): Redaction {
  const secrets = Object.values(env)
    .filter(({ length }) => length >= MIN_LENGTH)
    .flatMap((value) => [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd')),
    ])
    // One may be a part of another.
    .sort((a, b) => b.length - a.length)
  const longest = secrets[0]?.length ?? 0
  const redact = (text: string) => secrets.reduce((cut, secret) => cut.replaceAll(secret, MASK), text)
  return {
    redact,
    // Where a text is cut, the part of a value that the cut divided goes, too.
    head(text, characters) {
      const kept = characters + longest
      if (text.length <= kept) return redact(text).slice(0, characters)
      const masked = redact(text.slice(0, kept))
      return masked.slice(0, Math.min(characters, masked.length - longest))
    },
    tail(text, characters) {
      const kept = characters + longest
      if (text.length < kept) return redact(text).slice(-characters)
      return redact(text.slice(-kept)).slice(longest).slice(-characters)
    },
    tailLength: (characters) => characters + longest,
  }
}
