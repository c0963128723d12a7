import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { readFailure } from '../server/failure.ts'
import { send } from '../server/send.ts'
import { enteredPassword } from '../sign-in/entered-password.ts'
import { NewPasswordField } from '../sign-in/new-password-field.tsx'
import { PasswordField } from '../sign-in/password-form.tsx'
import { useSubmit } from '../sign-in/use-submit.ts'
import { Failure } from '../ui/failure.tsx'
import { Step } from './step.tsx'

/** Replaces the password that the server was started with. */
export function PasswordStep({ onNext }: { onNext(): void }) {
  const [entered, setEntered] = useState(enteredPassword.read)
  const { isBusy, error, submit } = useSubmit(async ({ old_password = entered ?? '', new_password = '' }) => {
    try {
      await send(client.POST('/auth/change-password', { body: { old_password, new_password } }))
    } catch (reason) {
      // Somebody may have changed it meanwhile: then it has to be typed.
      if (readFailure(reason).code === 'AUTH_FAILED') setEntered(undefined)
      throw reason
    }
    enteredPassword.forget()
    onNext()
  })
  return (
    <form onSubmit={submit}>
      <Step
        about={t('first-run.password_about')}
        action={
          <Button type="submit" loading={isBusy}>
            {t('sign-in.change_password')}
          </Button>
        }
        onSkip={onNext}
      >
        {entered === undefined && (
          <PasswordField
            name="old_password"
            label={t('sign-in.old_password')}
            autoComplete="current-password"
            withAsterisk={false}
          />
        )}
        <NewPasswordField label={t('sign-in.new_password')} />
        {error !== undefined && <Failure error={error} />}
      </Step>
    </form>
  )
}
