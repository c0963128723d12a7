import { Code, Group, Stack, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { PasswordField } from '../sign-in/password-form.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
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

const QR = lazy(() => import('../ui/qr.tsx'))

/** The secret of an authenticator app that is set up: a code to scan, and the same as text. */
function AppSecret({ secret, otpauth_url }: components['schemas']['TotpSetup']) {
  return (
    <Stack gap="md">
      <Text size="sm">{t('two-factor.scan')}</Text>
      <Group justify="center">
        <Suspense>
          <QR content={otpauth_url} label={t('two-factor.qr_label')} />
        </Suspense>
      </Group>
      <div>
        <Text size="sm" mb={4}>
          {t('two-factor.secret')}
        </Text>
        <Group gap="xs" wrap="nowrap">
          <Code fz="sm" p="xs" style={{ overflowWrap: 'anywhere' }}>
            {secret.match(/.{1,4}/g)?.join(' ')}
          </Code>
          <CopyButton text={secret} />
        </Group>
      </div>
    </Stack>
  )
}
