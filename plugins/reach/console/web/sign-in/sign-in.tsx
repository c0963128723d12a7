import { Box, Button, Stack } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { t, type WordKey } from '../i18n/words.ts'
import { loadApp } from '../load-app.ts'
import { readSession } from '../session/token.ts'
import { Alert } from '../ui/alert.tsx'
import { arrive, wantedPage } from './arrive.ts'
import { Complete } from './complete.tsx'
import { FirstPassword } from './first-password.tsx'
import { Help } from './help.tsx'
import { Invited } from './invited.tsx'
import { Layout } from './layout.tsx'
import { PasswordForm } from './password-form.tsx'
import { useServerFacts } from './server-facts.ts'

/** Signs somebody in: by a password, by another service, or by an invite. */
export function SignIn() {
  // The console is needed next, but not by somebody who only looks at the form.
  useEffect(() => addEventListener('input', () => void loadApp(), { once: true }), [])

  if (location.pathname === '/login/oauth/complete') return <Complete />
  if (location.pathname === '/invite') return <Invited />
  if (location.pathname === '/set-password') return <FirstPassword />
  const reason = new URLSearchParams(location.search).get('oauth_error')
  const failure = reason !== null && location.pathname === '/login' && <ServiceFailure reason={reason} />
  if (readSession()) return failure ? <Layout title={t('sign-in.not_linked')}>{failure}</Layout> : <Leave />
  return <Welcome>{failure}</Welcome>
}

/** The form with the name of the server, a line of its operator, and help for people without a password. */
function Welcome({ children }: { children: ReactNode }) {
  const facts = useServerFacts()
  return (
    <Layout
      title={facts ? t('sign-in.title_of', { name: facts.name }) : t('sign-in.title')}
      about={facts?.notice}
    >
      {children}
      <PasswordForm onLogin={(login) => arrive(login, wantedPage())} />
      <Box mt="lg">
        <Help
          hasInvites={facts?.features.invites !== undefined}
          hasServices={facts !== undefined && facts.sign_in.providers.length > 0}
        />
      </Box>
    </Layout>
  )
}

/** Somebody who is signed in has nothing to do here. */
function Leave() {
  useEffect(() => location.replace('/'), [])
  return null
}

const REASONS: Record<string, WordKey> = {
  state: 'sign-in.error_state',
  denied: 'sign-in.error_denied',
  disabled: 'sign-in.error_disabled',
  misconfigured: 'sign-in.error_misconfigured',
  invalid_token: 'sign-in.error_invalid_token',
  exchange: 'sign-in.error_exchange',
  taken: 'sign-in.error_taken',
  already_linked: 'sign-in.error_already_linked',
}

/** The reason for which another service did not sign somebody in, or was not linked to the account. */
function ServiceFailure({ reason }: { reason: string }) {
  return (
    <Stack gap="md" mb="lg">
      <Alert>{t((Object.hasOwn(REASONS, reason) && REASONS[reason]) || 'sign-in.error_generic')}</Alert>
      {readSession() && (
        <Button component="a" href="/account" variant="default">
          {t('sign-in.to_account')}
        </Button>
      )}
    </Stack>
  )
}
