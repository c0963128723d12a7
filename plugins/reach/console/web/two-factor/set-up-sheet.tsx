import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { refresh } from '../server/send.ts'
import { Sheet } from '../ui/sheet.tsx'
import { TotpFields } from './totp-fields.tsx'
import type { TotpStep, useTotpSetup } from './use-totp-setup.ts'

/** Sets up an authenticator app at the side of the account page. */
export function SetUpSheet({ setup, step }: { setup: ReturnType<typeof useTotpSetup>; step: TotpStep }) {
  const [value, setValue] = useState('')
  const submit = async () => {
    const entered = value.trim()
    if (step.name === 'password') await setup.begin({ password: value })
    if (step.name === 'code') await setup.begin({ code: entered })
    if (step.name === 'scan') {
      await setup.confirm(entered)
      await refresh('/auth/totp')
    }
    setValue('')
  }
  const isDone = step.name === 'codes'
  return (
    <Sheet
      key={step.name}
      title={t(isDone ? 'two-factor.codes_title' : 'two-factor.set_up_title')}
      onSave={isDone ? undefined : submit}
      closesOnSave={false}
      saveLabel={t(step.name === 'scan' ? 'two-factor.confirm' : 'two-factor.continue')}
      canSave={value.trim() !== ''}
      onClose={setup.close}
    >
      <TotpFields step={step} value={value} onChange={setValue} />
    </Sheet>
  )
}
