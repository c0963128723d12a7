import { Button, PasswordInput, Stack, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { t } from '../i18n/words.ts'
import { setToken } from '../session/token.ts'
import { Failure } from '../ui/failure.tsx'
import classes from './sign-in.module.css'

/** Signs somebody in by username and password. */
export default function SignIn() {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { username, password } = Object.fromEntries(new FormData(event.currentTarget))
    setBusy(true)
    setError(undefined)
    try {
      const reply = await fetch('/api/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password, cookie: true }),
      })
      const body = await reply.json()
      if (!reply.ok) throw body
      setToken(body.access_token)
    } catch (reason) {
      setError(reason)
      setBusy(false)
    }
  }

  return (
    <main className={classes.page}>
      <form onSubmit={submit} className={classes.form}>
        <Stack gap="md">
          <Title order={1} size="h3">
            {t('sign-in.title')}
          </Title>
          <TextInput
            name="username"
            label={t('sign-in.username')}
            autoComplete="username"
            required
            data-autofocus
          />
          <PasswordInput
            name="password"
            label={t('sign-in.password')}
            autoComplete="current-password"
            required
          />
          {error !== undefined && <Failure error={error} />}
          <Button type="submit" loading={isBusy} fullWidth>
            {t('sign-in.submit')}
          </Button>
        </Stack>
      </form>
    </main>
  )
}
