import { t } from '../i18n/words.ts'
import { PasswordField } from '../sign-in/password-field.tsx'
import { AppSecret } from './app-secret.tsx'
import { CodeField } from './code-field.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import type { TotpStep } from './use-totp-setup.ts'

interface Props {
  step: TotpStep
  value: string
  onChange(value: string): void
}

/** The fields of a step of setting up an app. */
export function TotpFields({ step, value, onChange }: Props) {
  const field = {
    value,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
    'data-autofocus': true,
  }
  switch (step.name) {
    case 'password':
      return (
        <PasswordField
          label={t('sign-in.password')}
          description={t('two-factor.password_help')}
          autoComplete="current-password"
          withAsterisk={false}
          {...field}
        />
      )
    case 'code':
      return <CodeField isFree label={t('two-factor.any_code')} {...field} />
    case 'scan':
      return (
        <>
          <AppSecret {...step.setup} />
          <CodeField
            label={t('two-factor.app_code')}
            description={t('two-factor.app_code_help')}
            {...field}
          />
        </>
      )
    case 'codes':
      return <RecoveryCodes codes={step.codes} />
  }
}
