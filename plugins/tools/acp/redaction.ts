import { MASK } from '#kernel'
import type { Env } from './runner-env.ts'

/** Shorter values would match unrelated text. */
const MIN_LENGTH = 4

/** Masks the values of a runner's environment in texts. */
export type Redaction = ReturnType<typeof createRedaction>

/** Creates the redaction for an environment; values are found as they are and in their JSON and URL encodings. */
export function createRedaction(env: Env) {
  const secrets = Object.values(env)
    .filter(({ length }) => length >= MIN_LENGTH)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())])
    // Longest first, since one secret may be a part of another.
    .sort((a, b) => b.length - a.length)
  const longest = secrets[0]?.length ?? 0
  const redact = (text: string) => secrets.reduce((cut, secret) => cut.replaceAll(secret, MASK), text)
  return {
    redact,
    /**
     * Returns the first characters of a text. If the cut divides a secret, the rest of the secret is removed as well.
     */
    head(text: string, characters: number): string {
      const length = characters + longest
      if (text.length <= length) return redact(text).slice(0, characters)
      const masked = redact(text.slice(0, length))
      return masked.slice(0, Math.min(characters, masked.length - longest))
    },
    /** Returns the last characters of a text, which needs to hold only its last `tailLength(characters)` characters. */
    tail(text: string, characters: number): string {
      const length = characters + longest
      if (text.length < length) return redact(text).slice(-characters)
      return redact(text.slice(-length)).slice(longest).slice(-characters)
    },
    tailLength: (characters: number): number => characters + longest,
  }
}
