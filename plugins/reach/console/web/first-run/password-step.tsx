import { Button } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { send } from '../server/send.ts'
import { PasswordField } from '../sign-in/password-form.tsx'
import { useSubmit } from '../sign-in/use-submit.ts'
import { Failure } from '../ui/failure.tsx'
import { Step } from './step.tsx'

/** Replaces the password that the server was started with. */
export function PasswordStep({ onNext }: { onNext(): void }) {
  const { isBusy, error, submit } = useSubmit(async ({ old_password = '', new_password = '' }) => {
    await send(client.POST('/auth/change-password', { body: { old_password, new_password } }))
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
        <PasswordField
          name="old_password"
          label={t('sign-in.old_password')}
          autoComplete="current-password"
          withAsterisk={false}
        />
        <PasswordField
          name="new_password"
          label={t('sign-in.new_password')}
          description={t('sign-in.password_rules')}
          autoComplete="new-password"
          minLength={8}
          withAsterisk={false}
        />
        {error !== undefined && <Failure error={error} />}
      </Step>
    </form>
  )
}
