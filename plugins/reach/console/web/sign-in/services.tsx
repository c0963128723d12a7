import { Button, Divider, Stack } from '@mantine/core'
import { useState } from 'react'
import type { components } from '#client'
import { withPageWords } from '../i18n/load.ts'
import { t } from '../i18n/words.ts'
import { hasPasskeys } from '../two-factor/has-passkeys.ts'
import { keepState, wantedPage } from './arrive.ts'
import { type Login, post } from './post.ts'
import { useServerFacts } from './server-facts.ts'

type Method = components['schemas']['ConsoleSignIn']

const isUsable = ({ kind }: Method) => kind !== 'passkey' || hasPasskeys()

interface Props {
  onLogin(login: Login): void
  onFailure(error: unknown): void
}

/** Buttons for the services and devices that one can sign in with. */
export function Services({ onLogin, onFailure }: Props) {
  const methods = useServerFacts()?.sign_in.providers.filter(isUsable) ?? []
  const [busy, setBusy] = useState<string>()

  const start = async ({ kind }: Method) => {
    setBusy(kind)
    try {
      if (kind === 'passkey') {
        const { signInWithPasskey } = await withPageWords(() => import('./passkey.ts'))()
        return onLogin(await signInWithPasskey())
      }
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
