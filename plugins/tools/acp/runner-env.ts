import { AppError, MASK, maskOf } from '#kernel'

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
