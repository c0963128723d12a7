import type { SignInFailure, SignInKind, SsoSettings } from '../../plugins/identity/sso/sign-in-kind.ts'
import type { Test } from '../run/file-test.ts'
import { CALLBACK, type Person, type Vendor } from './sign-in-vendors.ts'

const settingsOf = (
  { kind, fake }: Vendor,
  made: SignInKind,
  more: Partial<SsoSettings> = {},
): SsoSettings => ({
  kind,
  enabled: true,
  display_name: kind,
  issuer: null,
  ...fake.app,
  scopes: made.default_scopes,
  dashboard_origin: null,
  ...more,
})

export const challenge = {
  redirect_uri: CALLBACK,
  state: 's'.repeat(43),
  nonce: 'n',
  code_verifier: 'v'.repeat(43),
}
export const never: AbortSignal = new AbortController().signal

/** Opens the login page; returns the address of the callback. */
export async function comeBack(
  vendor: Vendor,
  made: SignInKind,
  settings: SsoSettings,
  person: Person | null,
) {
  vendor.fake.state.visitor = person
  const page = await made.authorize(settings, challenge, never)
  const answer = await fetch(page, { redirect: 'manual' })
  if (answer.status !== 302) throw new Error(`the login page answers ${answer.status} ${await answer.text()}`)
  return new URL(answer.headers.get('location')!)
}

export async function failureOf(work: Promise<unknown>): Promise<SignInFailure> {
  return work.then(
    (value) => {
      throw new Error(`it did not fail: ${JSON.stringify(value)}`)
    },
    (error) => error,
  )
}

/** Creates a kind against a platform. */
export function benchOf(vendor: Vendor) {
  const { fake, create, endpoints } = vendor
  const make = () => create({ fetch, endpoints })
  const made = make()
  const settings = settingsOf(vendor, made)
  return {
    make,
    made,
    settings,

    /** Runs a sign-in; the kind has an empty cache unless one is given. */
    async signIn(person: Person | null, more: Partial<SsoSettings> = {}, kind = make()) {
      const changed = { ...settings, ...more }
      const back = await comeBack(vendor, kind, { ...changed, client_secret: '' }, person)
      return kind.identify(changed, challenge, back, never)
    },

    /** Asserts the reason of a failed sign-in, and that neither its message nor its cause has a secret. */
    async fails(t: Test, work: Promise<unknown>, reason: string, message: RegExp) {
      const failure = await failureOf(work)
      t.equal(failure.name, 'SignInFailure', String(failure.stack))
      t.equal(failure.reason, reason, failure.message)
      t.match(failure.message, message)
      const output = `${failure.stack} ${JSON.stringify(failure)} ${String(failure.cause)}`
      const secrets = [...fake.issued, fake.app.client_secret]
      t.same(
        secrets.filter((secret) => output.includes(secret)),
        [],
      )
      t.notMatch(output, /https?:\/\/127/)
    },
  }
}
