import { AppError, MASK, maskOf } from '#plugin-api'

/** Environment variables by name. */
export type Env = Record<string, string>

/** Variables that select the program, its libraries or its configuration. */
const DECISIVE = new Set([
  ...['PATH', 'HOME', 'SHELL', 'IFS', 'ENV', 'CDPATH', 'PWD', 'ZDOTDIR', 'SHELLOPTS', 'BASHOPTS', 'PS4'],
  ...['PROMPT_COMMAND', 'EDITOR', 'VISUAL', 'PAGER', 'BROWSER', 'TMPDIR', 'TMP', 'TEMP', 'GCONV_PATH'],
  ...['NODE_OPTIONS', 'NODE_PATH', 'RUBYOPT', 'RUBYLIB', 'PERLLIB', 'GLIBC_TUNABLES', 'OPENSSL_CONF'],
  ...['OPENSSL_MODULES', 'OPENSSL_ENGINES', 'JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS', '_JAVA_OPTIONS'],
  'CLAUDE_CODE_EXECUTABLE',
])
const DECISIVE_PREFIXES = [
  'LD_',
  'DYLD_',
  'PYTHON',
  'PERL5',
  'NPM_CONFIG_',
  'GIT_',
  'BASH_',
  'BUN_',
  'XDG_',
  'COREPACK_',
]

const invalid = (path: string, rule: string, message: string) =>
  new AppError('VALIDATION_FAILED', { issues: [{ path, rule, message }] })

/**
 * Throws VALIDATION_FAILED for new values of variables that could change a runner's program; `path` is their place in
 * the body.
 */
export function assertHarmless(env: Env, stored: Env, path: string): void {
  for (const [name, value] of Object.entries(env)) {
    if (Object.hasOwn(stored, name) && stored[name] === value) continue
    // Some programs ignore the case of their variables.
    const upper = name.toUpperCase()
    if (DECISIVE.has(upper) || DECISIVE_PREFIXES.some((prefix) => upper.startsWith(prefix)))
      throw invalid(`${path}/${name}`, 'decisive', 'may be set by administrators only')
  }
}

/** Returns the variables with their values masked. */
export const maskEnv = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, maskOf(value)]))

/** Returns the variables that were sent, with masks replaced by the stored values; throws if a mask does not match. */
export function unmaskEnv(env: Env, stored: Env, path: string): Env {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      if (!value.startsWith(MASK)) return [name, value]
      const old = Object.hasOwn(stored, name) ? stored[name] : undefined
      if (old !== undefined && maskOf(old) === value) return [name, old]
      throw invalid(
        `${path}/${name}`,
        'mask',
        'is a mask that does not match the stored value: send the value itself',
      )
    }),
  )
}

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
