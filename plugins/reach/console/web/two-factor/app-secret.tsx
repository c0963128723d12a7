import { Code, Group, Stack, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { CopyButton } from '../ui/copy-button.tsx'

const QR = lazy(() => import('../ui/qr.tsx'))

/** The secret of an authenticator app that is set up: a code to scan, and the same as text. */
export function AppSecret({ secret, otpauth_url }: components['schemas']['TotpSetup']) {
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
