import { generateSync } from 'otplib'
import type { Clock } from '../../kernel/clock.ts'
import type { TestReply, TestServer } from './server.ts'
import { createSoftwareAuthenticator, type Lies } from './software-authenticator.ts'

/** The seconds for which a code is shown. */
export const STEP_SECONDS = 30

/** The part of a reply that tells why a call was refused. */
export const refusal = ({ status, body }: TestReply) => ({ status, code: body?.error?.code })

/** Calls what belongs to second factors, with codes of an app whose clock is the server's. */
export function createTwoFactorCalls(server: TestServer, clock: Clock) {
  /** The code that an app shows so many seconds from now. */
  const codeOf = (secret: string, ahead = 0) => generateSync({ secret, epoch: clock.seconds() + ahead })

  const post = (token: string | null, path: string, body: object = {}) =>
    server.request('POST', path, { token, body })

  const logIn = (username: string, more: object = {}) =>
    post(null, '/auth/login', { username, password: `${username}-password-1`, ...more })

  return {
    codeOf,
    post,
    logIn,

    /** Signs in to an account that `createUser` made; throws unless it succeeds. */
    async signIn(username: string, more: object = {}): Promise<string> {
      const { status, body } = await logIn(username, more)
      if (status !== 200) throw new Error(`${username} cannot sign in: ${JSON.stringify(body)}`)
      return body.access_token
    },

    /** Sets up an app with the code of the step before, so that the present one can still be used. */
    async setUp(token: string, more: object = {}): Promise<{ secret: string; recovery_codes: string[] }> {
      const { body: begun } = await post(token, '/auth/totp', more)
      const { status, body } = await post(token, '/auth/totp/confirm', {
        code: codeOf(begun.secret, -STEP_SECONDS),
      })
      if (status !== 200) throw new Error(`the app was not confirmed: ${JSON.stringify(body)}`)
      return { secret: begun.secret, recovery_codes: body.recovery_codes }
    },

    /** An authenticator on a page of `origin`. */
    createDevice(origin: string) {
      const authenticator = createSoftwareAuthenticator(origin)
      return {
        authenticator,
        async register(token: string, name = 'Key', lies: Lies = {}): Promise<TestReply> {
          const options = await post(token, '/auth/passkeys/options')
          if (options.status !== 200) return options
          const attestation = authenticator.create(options.body, lies)
          return post(token, '/auth/passkeys', { name, attestation })
        },
        async signIn(lies: Lies = {}): Promise<TestReply> {
          const { body } = await post(null, '/auth/passkeys/sign-in/options')
          return post(null, '/auth/passkeys/sign-in', { assertion: authenticator.get(body, lies) })
        },
      }
    },
  }
}
