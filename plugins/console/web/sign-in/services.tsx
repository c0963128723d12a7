import { Button, Divider, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { components } from '#client'
import { t } from '../i18n/words.ts'
import { wantedPage } from './arrive.ts'
import { post } from './post.ts'
import { keepState } from './sign-in-state.ts'

type Method = components['schemas']['SignInMethod']

/** Buttons for the services that one can sign in with. */
export function Services({ onFailure }: { onFailure(error: unknown): void }) {
  const [methods, setMethods] = useState<Method[]>([])
  const [busy, setBusy] = useState<string>()

  useEffect(() => {
    fetch('/api/auth/oauth/status')
      .then((reply) => (reply.ok ? reply.json() : { providers: [] }))
      // Without the list, the password still works.
      .catch(() => ({ providers: [] }))
      .then(({ providers }: { providers: Method[] }) =>
        setMethods(providers.filter(({ enabled }) => enabled)),
      )
  }, [])

  const start = async ({ kind }: Method) => {
    setBusy(kind)
    try {
      const body = { kind, redirect_after: location.pathname.startsWith('/login') ? '/' : wantedPage() }
      const { authorization_url, state } = await post<{ authorization_url: string; state: string }>(
        '/auth/oauth/start',
        body,
      )
      keepState(state)
      location.assign(authorization_url)
    } catch (error) {
      setBusy(undefined)
      onFailure(error)
    }
  }

  if (methods.length === 0) return null
  return (
    <Stack gap="sm">
      <Divider label={t('sign-in.or')} />
      {methods.map((method) => (
        <Button
          key={method.kind}
          variant="default"
          fullWidth
          loading={busy === method.kind}
          onClick={() => start(method)}
        >
          {t('sign-in.with', { provider: method.display_name })}
        </Button>
      ))}
    </Stack>
  )
}
