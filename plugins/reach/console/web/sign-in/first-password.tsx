import { Button, Loader, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { formatDate } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { Failure } from '../ui/failure.tsx'
import { arrive } from './arrive.ts'
import { Layout } from './layout.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { type Login, post } from './post.ts'
import { useSubmit } from './use-submit.ts'

/** The account of a link. */
interface Link {
  username: string
  display_name: string | null
  expires_at: number
}

/** Sets the first password of an account that somebody else made, and signs it in. */
export function FirstPassword() {
  const [token] = useState(() => new URLSearchParams(location.search).get('token') || '-')
  const [link, setLink] = useState<Link>()
  const [invalid, setInvalid] = useState<unknown>()
  useEffect(() => {
    post<Link>('/auth/set-password/validate', { token }).then(setLink, setInvalid)
  }, [token])
  const about =
    link &&
    t('sign-in.first_password_about', {
      name: link.display_name ?? link.username,
      username: link.username,
      date: formatDate(link.expires_at),
    })
  return (
    <Layout title={t('sign-in.first_password')} about={about}>
      {invalid !== undefined ? (
        <Stack gap="md">
          <Failure error={invalid} />
          <Button component="a" href="/" variant="default">
            {t('sign-in.to_sign_in')}
          </Button>
        </Stack>
      ) : link ? (
        <PasswordForm token={token} username={link.username} />
      ) : (
        <Loader mx="auto" display="block" size="sm" aria-label={t('common.loading')} />
      )}
    </Layout>
  )
}

function PasswordForm({ token, username }: { token: string; username: string }) {
  const { isBusy, error, submit } = useSubmit(async ({ password }) =>
    arrive(await post<Login>('/auth/set-password', { token, password, cookie: true })),
  )
  const failure = error === undefined ? undefined : readFailure(error)
  const weak = failure?.code === 'PASSWORD_TOO_WEAK' ? failure.message : undefined
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {/* Password managers store the password under this name. */}
        <input type="hidden" name="username" autoComplete="username" value={username} readOnly />
        <NewPasswordField name="password" label={t('sign-in.password')} error={weak} />
        {failure && !weak && <Failure error={error} />}
        <Button type="submit" loading={isBusy} fullWidth>
          {t('sign-in.first_password_action')}
        </Button>
      </Stack>
    </form>
  )
}
