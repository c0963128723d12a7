import { AppError, MASK, maskOf } from '#kernel'

/** Variables by name. */
export type Env = Record<string, string>

/** Variables that say which program runs, what is loaded into it, or where it finds what it obeys. */
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

/** Throws VALIDATION_FAILED for new values of variables that would make another program of a runner; `path` is where they stand. */
export function assertHarmless(env: Env, stored: Env, path: string): void {
  for (const [name, value] of Object.entries(env)) {
    if (Object.hasOwn(stored, name) && stored[name] === value) continue
    // Some programs do not heed the case of their variables.
    const upper = name.toUpperCase()
    if (DECISIVE.has(upper) || DECISIVE_PREFIXES.some((prefix) => upper.startsWith(prefix)))
      throw invalid(`${path}/${name}`, 'decisive', 'may be set by administrators only')
  }
}

/** The variables with their values masked. */
export const maskEnv = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, maskOf(value)]))

/** The variables that were sent, with what is stored in the place of masks; a mask of anything else is refused. */
export function unmaskEnv(env: Env, stored: Env, path: string): Env {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      if (!value.startsWith(MASK)) return [name, value]
      const old = Object.hasOwn(stored, name) ? stored[name] : undefined
      if (old !== undefined && maskOf(old) === value) return [name, old]
      throw invalid(
        `${path}/${name}`,
        'mask',
        'is a mask and not that of the stored value: send the value itself',
      )
    }),
  )
}
