import { Button, Stack, TextInput } from '@mantine/core'
import { useCallback } from 'react'
import { t } from '../i18n/words.ts'
import { PasswordField } from './password-field.tsx'
import { type Login, post } from './post.ts'
import { Refusal, readRetrySeconds } from './refusal.tsx'
import { Services } from './services.tsx'
import { useSubmit } from './use-submit.ts'

interface Props {
  /** The only account that can sign in here; undefined if any can. */
  username?: string
  onLogin(login: Login): void
}

/** The ways to sign in: username and password, and the services that are enabled. */
export function PasswordForm({ username, onLogin }: Props) {
  const { isBusy, error, setError, submit } = useSubmit(async (fields) =>
    onLogin(
      await post<Login>('/auth/login', {
        username: fields.username,
        password: fields.password,
        cookie: true,
      }),
    ),
  )
  const forget = useCallback(() => setError(undefined), [setError])
  const isLocked = error !== undefined && readRetrySeconds(error) !== undefined
  return (
    <Stack gap="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            name="username"
            label={t('sign-in.username')}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={64}
            defaultValue={username}
            readOnly={username !== undefined}
            autoFocus={username === undefined}
            required
            withAsterisk={false}
          />
          <PasswordField
            name="password"
            label={t('sign-in.password')}
            autoComplete="current-password"
            autoFocus={username !== undefined}
            withAsterisk={false}
          />
          {error !== undefined && <Refusal error={error} onEnd={forget} />}
          <Button type="submit" loading={isBusy} disabled={isLocked} fullWidth>
            {t('sign-in.submit')}
          </Button>
        </Stack>
      </form>
      <Services onFailure={setError} />
    </Stack>
  )
}
