import { useState } from 'react'
import type { components } from '#client'
import { client } from '../server/client.ts'
import { readFailure } from '../server/failure.ts'
import { send } from '../server/send.ts'

/** The steps of setting up an app: a proof that it is the user, the secret, the recovery codes. */
export type TotpStep =
  | { name: 'password' }
  | { name: 'code' }
  | { name: 'scan'; setup: components['schemas']['TotpSetup'] }
  | { name: 'codes'; codes: string[] }

/** Sets up an authenticator app step by step. */
export function useTotpSetup() {
  const [step, setStep] = useState<TotpStep>()

  const begin = async (body: { password?: string; code?: string } = {}) =>
    setStep({ name: 'scan', setup: await send(client.POST('/auth/totp', { body })) })

  return {
    step,
    close: () => setStep(undefined),
    begin,
    /** Starts the test, or asks for the missing values first. */
    start: (isOn: boolean) =>
      isOn
        ? Promise.resolve(setStep({ name: 'code' }))
        : begin().catch((error: unknown) => {
            if (readFailure(error).code !== 'RECENT_SIGN_IN_REQUIRED') throw error
            setStep({ name: 'password' })
          }),
    async confirm(code: string) {
      const { recovery_codes } = await send(client.POST('/auth/totp/confirm', { body: { code } }))
      setStep({ name: 'codes', codes: recovery_codes })
    },
  }
}
