import { Button, PasswordInput, type PasswordInputProps, Stack, TextInput } from '@mantine/core'
import { lazy, Suspense, useCallback, useState } from 'react'
import { withPageWords } from '../i18n/load.ts'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { enteredPassword } from './entered-password.ts'
import { type Login, post } from './post.ts'
import { Refusal, readRetrySeconds } from './refusal.tsx'
import { Services } from './services.tsx'
import { useSubmit } from './use-submit.ts'

const CodeForm = lazy(withPageWords(() => import('./code-form.tsx')))

interface Props {
  /** The only account that can sign in here; undefined if any can. */
  username?: string
  onLogin(login: Login): void
}

/** The ways to sign in: username and password, and the services that are enabled. */
export function PasswordForm({ username, onLogin }: Props) {
  /** The username and password, once the server has asked for a code as well. */
  const [entered, setEntered] = useState<object>()
  const logIn = async (body: object) => onLogin(await post<Login>('/auth/login', body))
  const { isBusy, error, setError, submit } = useSubmit(async ({ username, password }) => {
    const body = { username, password, cookie: true }
    enteredPassword.keep(String(password))
    await logIn(body).catch((error) => {
      if (readFailure(error).code !== 'TOTP_REQUIRED') throw error
      setEntered(body)
    })
  })
  const forget = useCallback(() => setError(undefined), [setError])
  const isLocked = error !== undefined && readRetrySeconds(error) !== undefined
  if (entered)
    return (
      <Suspense>
        <CodeForm onCode={(code) => logIn({ ...entered, code })} onBack={() => setEntered(undefined)} />
      </Suspense>
    )
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
      <Services onLogin={onLogin} onFailure={setError} />
    </Stack>
  )
}

/** A password, which can be shown. */
export const PasswordField = (props: PasswordInputProps) => (
  <PasswordInput
    required
    maxLength={200}
    visibilityToggleButtonProps={{ 'aria-label': t('sign-in.show_password'), tabIndex: 0 }}
    {...props}
  />
)
