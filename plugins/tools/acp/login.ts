import type { ClientContext } from '@agentclientprotocol/sdk'
import { type Json, type Locale, type ToolContext, untilAborted, withDeadline } from '#plugin-api'
import { RunnerFailure } from './errors.ts'
import type { Redaction } from './runner-env.ts'
import type { OpenedRunner } from './types.ts'
import { readList, shorten } from './updates.ts'

/** The time in which a runner authenticates with a key, in milliseconds. A method may open a browser and wait. */
const LOGIN_MS = 60_000
const MAX_WORDS = 200

/** Creates the login of a runner that offers these methods. */
export function createLogin(
  agent: Pick<ClientContext, 'request'>,
  methods: unknown,
  {
    runner,
    context: { locale },
    redaction,
    signal,
  }: {
    runner: OpenedRunner
    context: Pick<ToolContext, 'locale'>
    redaction: Redaction
    signal: AbortSignal
  },
) {
  const explain = (error: unknown) => {
    if (!isLoginRequired(error)) return error
    const words = redaction.head(String((error as { message: unknown }).message), MAX_WORDS)
    const way = describeLogin(methods, runner, locale)
    return new RunnerFailure(
      way === undefined
        ? `needs a login first, in its environment or in its home folder: ${words}`
        : `needs a login first: ${words}\n${redaction.redact(way)}`,
    )
  }
  const authenticate = (methodId: string) =>
    withDeadline(LOGIN_MS, [signal], (until) =>
      untilAborted(until, agent.request('authenticate', { methodId })),
    )

  return {
    /**
     * Carries out a request. If the runner must be logged in first, it authenticates with the keys of its environment,
     * and the request is repeated unless it has had an effect.
     */
    async around<Reply>(
      request: () => Promise<Reply>,
      hadEffect: () => boolean = () => false,
    ): Promise<Reply> {
      const attempt = () =>
        request().then(
          (reply) => ({ reply }),
          (error: unknown) => {
            if (!isLoginRequired(error)) throw error
            return { error }
          },
        )
      let outcome = await attempt()
      const untried = 'error' in outcome && !hadEffect() ? chooseMethods(methods, runner) : []
      for (const methodId of untried) {
        if ('reply' in outcome || hadEffect()) break
        const isAuthenticated = await authenticate(methodId).then(
          () => true,
          () => {
            // The next method may be accepted; the runner says itself why it needs a login.
            signal.throwIfAborted()
            return false
          },
        )
        if (isAuthenticated) outcome = await attempt()
      }
      if ('error' in outcome) throw explain(outcome.error)
      return outcome.reply
    },
  }
}

/** The protocol's error code for a runner that needs a login, and for many other errors. */
const AUTH_REQUIRED = -32000
/** The words about a login in errors with this code. */
const ABOUT_LOGIN =
  /auth|log.?(?:in|ged)\b|sign.?in\b|credential|api.?key|\b40[13]\b|(?:access|expired|invalid|missing) token|token (?:is |has )?(?:expired|invalid|missing|required)|登录|认证|密钥/i
/** The words of runners that answer with another code. */
const AUTH_WORDS =
  /auth(?:entication|orization)?[ _-]?(?:is )?required|(?:not|please) (?:logged|signed|log|sign) ?in\b|unauthenticated/i
/** The most methods that are read. */
const MAX_METHODS = 20
/** The names of variables with keys. */
const KEY_NAME = /(?:API_?KEY|TOKEN|SECRET|KEY)$/i
const KEY_WORDS = /api[\s_-]?key|\btoken\b/i

/** A method of a runner to authenticate, as much of it as can be read. */
interface AuthMethod {
  id: string
  /** Everything that it says about itself. */
  words: string
  /** The variables that the runner requires for it; undefined if it does not say. */
  vars: string[] | undefined
  link: string
  /** The command with which a person logs in on a terminal; undefined if the runner authenticates by itself. */
  login: string | undefined
}

/** True for the error of a runner that must be logged in first. */
function isLoginRequired(error: unknown): boolean {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown }
  if (typeof code !== 'number') return false
  const words = typeof message === 'string' ? message : ''
  return AUTH_WORDS.test(words) || (code === AUTH_REQUIRED && (words === '' || ABOUT_LOGIN.test(words)))
}

/**
 * Returns the ids of the methods that can authenticate a runner with the keys of its environment, the best first:
 * methods that name one of its variables, then methods that take a key, then methods of the same vendor.
 */
export function chooseMethods(methods: unknown, { command, args, env }: AuthRunner): string[] {
  const names = Object.keys(env).filter((name) => env[name] !== '')
  const keys = names.filter((name) => KEY_NAME.test(name))
  const byPriority: ((method: AuthMethod) => boolean)[] = [
    ({ vars }) => vars !== undefined && vars.length > 0 && vars.every((name) => names.includes(name)),
    ({ vars, words }) => vars === undefined && keys.some((name) => words.split(/\W+/).includes(name)),
    ({ vars, id }) => vars === undefined && keys.some((name) => isSuffix(toVariable(id), name)),
    ({ vars, words }) => vars === undefined && keys.length > 0 && KEY_WORDS.test(words),
    ({ vars, id }) =>
      vars === undefined && keys.some((name) => toVariable(id).startsWith(`${vendorOf(name)}_`)),
  ]
  const offered = readMethods(methods, { command, args, env }).filter(({ login }) => login === undefined)
  return [...new Set(byPriority.flatMap((fits) => offered.filter(fits).map(({ id }) => id)))]
}

/** Describes how a person can log a runner in; undefined if the runner does not say. */
export function describeLogin(methods: unknown, runner: AuthRunner, locale: Locale): string | undefined {
  const ways = readMethods(methods, runner).map(({ id, words, vars, link, login }) => {
    const say = WAYS[locale]
    if (login !== undefined) return say.run(login)
    if (vars !== undefined) return say.set(vars.join(', '), link)
    return say.method(shorten(words) || id)
  })
  return ways.length === 0 ? undefined : `${ways.join(WAYS[locale].or)}${WAYS[locale].end}`
}

const WAYS = {
  en: {
    set: (vars: string, link: string) => `set ${vars} in its environment${link && ` (from ${link})`}`,
    run: (command: string) => `run \`${command}\` in its home folder on the server`,
    method: (words: string) => `sign in with “${words}” in its home folder on the server`,
    or: ', or ',
    end: '.',
  },
  zh: {
    set: (vars: string, link: string) => `请在其环境变量中设置 ${vars}${link && `（获取地址：${link}）`}`,
    run: (command: string) => `请在服务器上它的主目录中运行 \`${command}\``,
    method: (words: string) => `请在服务器上它的主目录中通过“${words}”登录`,
    or: '，或',
    end: '。',
  },
} satisfies Record<Locale, object>

type AuthRunner = Pick<OpenedRunner, 'command' | 'args' | 'env'>

function readMethods(methods: unknown, runner: AuthRunner): AuthMethod[] {
  return readList(methods as Json[])
    .slice(0, MAX_METHODS)
    .flatMap((method): AuthMethod[] => {
      const { id, name, description, type, vars, varName, link } = method
      if (typeof id !== 'string' || id === '') return []
      const words = [name, description].filter(isText)
      const variables = readList(vars as Json[]).flatMap((one) =>
        isText(one.name) && one.optional !== true ? [one.name] : [],
      )
      if (isText(varName)) variables.push(varName)
      return [
        {
          id,
          words: [...new Set([...words, id])].join(' · '),
          vars: type === 'env_var' || variables.length > 0 ? variables : undefined,
          link: isText(link) ? shorten(link) : '',
          login: readLogin(method, runner),
        },
      ]
    })
}

/** Returns the command of a login on a terminal, as the protocol or its older drafts name it. */
function readLogin({ type, args, command, _meta }: Json, runner: AuthRunner): string | undefined {
  const draft = Object(Object(_meta)['terminal-auth']) as Json
  if (isText(draft.command)) return shorten([draft.command, ...readTexts(draft.args)].join(' '))
  if (isText(command)) return shorten([command, ...readTexts(args)].join(' '))
  if (type !== 'terminal') return undefined
  return shorten([runner.command, ...runner.args, ...readTexts(args)].join(' '))
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const readTexts = (value: unknown): string[] => (Array.isArray(value) ? value.filter(isText) : [])

/** Writes the id of a method as a variable: `openai-api-key` is `OPENAI_API_KEY`. */
const toVariable = (id: string) => id.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
const isSuffix = (ending: string, name: string) =>
  KEY_NAME.test(ending) && `_${name.toUpperCase()}`.endsWith(`_${ending}`)
const vendorOf = (name: string) => name.toUpperCase().split('_')[0]!
