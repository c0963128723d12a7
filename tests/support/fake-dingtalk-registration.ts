import { randomBytes } from 'node:crypto'
import type { FakeRoutes } from './fake-dingtalk-http.ts'

/** The making of apps by QR code. */
export interface FakeRegistration {
  routes: FakeRoutes
  scan(outcome: 'success' | 'expired' | 'failed'): void
  /** The last code that opens a registration, which nobody else may see. */
  lastCode(): string
  /** Refuses or drops so many polls. */
  failPolls(calls: number): void
}

/** Creates the registration of the fake, which returns the credentials of its only app. */
export function createFakeRegistration(credentials: {
  client_id: string
  client_secret: string
}): FakeRegistration {
  const nonces = new Set<string>()
  const outcomes = new Map<string, object>()
  let last = ''
  let failing = 0
  const fail = (errcode: number) => ({ body: { errcode, errmsg: `error ${errcode}` } })

  return {
    lastCode: () => last,
    failPolls(calls) {
      failing = calls
    },

    scan(outcome) {
      outcomes.set(
        last,
        {
          success: { status: 'SUCCESS', ...credentials },
          expired: { status: 'EXPIRED' },
          failed: { status: 'FAIL', fail_reason: 'The organization does not allow it.' },
        }[outcome],
      )
    },

    routes: {
      'POST /app/registration/init'() {
        const nonce = randomBytes(16).toString('hex')
        nonces.add(nonce)
        return { body: { errcode: 0, errmsg: 'ok', nonce, expires_in: 300 } }
      },

      'POST /app/registration/begin'({ body }) {
        if (!nonces.delete(body.nonce)) return fail(400_001)
        last = randomBytes(16).toString('hex')
        outcomes.set(last, { status: 'WAITING' })
        const verification_uri = 'https://fake.invalid/openapp/registration'
        return {
          body: {
            errcode: 0,
            errmsg: 'ok',
            device_code: last,
            user_code: 'ABCD-EFGH-IJKL',
            verification_uri,
            verification_uri_complete: `${verification_uri}?user_code=ABCD-EFGH-IJKL`,
            expires_in: 7200,
            interval: 1,
          },
        }
      },

      'POST /app/registration/poll'({ body }) {
        if (failing > 0) {
          failing -= 1
          return fail(400_002)
        }
        const outcome = outcomes.get(body.device_code)
        return outcome ? { body: { errcode: 0, errmsg: 'ok', ...outcome } } : fail(400_003)
      },
    },
  }
}
