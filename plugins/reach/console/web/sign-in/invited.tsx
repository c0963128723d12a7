import { Button, Loader, Stack, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { formatDate } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { readSession } from '../session/token.ts'
import { Failure } from '../ui/failure.tsx'
import { arrive } from './arrive.ts'
import { Layout } from './layout.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { type Login, post } from './post.ts'
import { useSubmit } from './use-submit.ts'

/** Makes the account of an invited person and signs it in. */
export function Invited() {
  const [code] = useState(() => new URLSearchParams(location.search).get('code') ?? '')
  const [expires_at, setExpiry] = useState<number>()
  const [invalid, setInvalid] = useState<unknown>()

  useEffect(() => {
    post<{ expires_at: number }>('/auth/invite/validate', { code: code || '-' }).then(
      ({ expires_at }) => setExpiry(expires_at),
      setInvalid,
    )
  }, [code])

  if (invalid !== undefined)
    return (
      <Layout title={t('sign-in.invite_title')}>
        <Stack gap="md">
          <Failure error={invalid} />
          <Button component="a" href="/" variant="default">
            {t('sign-in.to_sign_in')}
          </Button>
        </Stack>
      </Layout>
    )
  const about = expires_at !== undefined && t('sign-in.invite_about', { date: formatDate(expires_at) })
  return (
    <Layout title={t('sign-in.invite_title')} about={about}>
      {expires_at === undefined ? (
        <Loader mx="auto" display="block" size="sm" aria-label={t('common.loading')} />
      ) : (
        <InviteForm code={code} />
      )}
    </Layout>
  )
}

function InviteForm({ code }: { code: string }) {
  const { isBusy, error, submit } = useSubmit(async ({ username, password, display_name }) => {
    const body = { code, username, password, cookie: true, ...(display_name ? { display_name } : {}) }
    arrive(await post<Login>('/auth/invite/redeem', body))
  })
  const failure = error === undefined ? undefined : readFailure(error)
  const username = failure?.issues.find(({ path }) => path.endsWith('username'))?.message
  const nameConflict = failure?.code === 'USERNAME_TAKEN' ? failure.message : undefined
  const weak = failure?.code === 'PASSWORD_TOO_WEAK' ? failure.message : undefined
  const current = readSession()?.user.username
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {current !== undefined && <Text size="sm">{t('sign-in.invite_replaces', { name: current })}</Text>}
        <TextInput
          name="username"
          label={t('sign-in.username')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          error={username ?? nameConflict}
          autoFocus
          required
          withAsterisk={false}
        />
        <TextInput
          name="display_name"
          label={t('sign-in.display_name')}
          description={t('sign-in.optional')}
          autoComplete="name"
          maxLength={128}
        />
        <NewPasswordField name="password" label={t('sign-in.password')} error={weak} />
        {failure && !username && !nameConflict && !weak && <Failure error={error} />}
        <Button type="submit" loading={isBusy} fullWidth>
          {t('sign-in.create_account')}
        </Button>
      </Stack>
    </form>
  )
}
