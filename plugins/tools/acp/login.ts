import type { ClientContext } from '@agentclientprotocol/sdk'
import type { ToolContext } from '#plugin-api'
import { untilAborted, withDeadline } from '#toolbox'
import { chooseMethods, describeLogin, isLoginRequired } from './auth-methods.ts'
import { RunnerFailure } from './errors.ts'
import type { Redaction } from './redaction.ts'
import type { OpenedRunner } from './types.ts'

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
     * Carries out a request. If the runner must be logged in first, it authenticates with the keys of its environment, and the
     * request is repeated unless it has had an effect.
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
