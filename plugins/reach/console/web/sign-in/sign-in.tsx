import { useEffect } from 'react'
import { t } from '../i18n/words.ts'
import { loadApp } from '../load-app.ts'
import { readSession } from '../session/token.ts'
import { arrive, wantedPage } from './arrive.ts'
import { Complete } from './complete.tsx'
import { Invited } from './invited.tsx'
import { Layout } from './layout.tsx'
import { PasswordForm } from './password-form.tsx'
import { ServiceFailure } from './service-failure.tsx'

/** Signs somebody in: by a password, by another service, or by an invite. */
export function SignIn() {
  // The console is needed next, but not by somebody who only looks at the form.
  useEffect(() => addEventListener('input', () => void loadApp(), { once: true }), [])

  if (location.pathname === '/login/oauth/complete') return <Complete />
  if (location.pathname === '/invite') return <Invited />
  const reason = new URLSearchParams(location.search).get('oauth_error')
  const failure = reason !== null && location.pathname === '/login' && <ServiceFailure reason={reason} />
  if (readSession()) return failure ? <Layout title={t('sign-in.not_linked')}>{failure}</Layout> : <Leave />
  return (
    <Layout title={t('sign-in.title')}>
      {failure}
      <PasswordForm onLogin={(login) => arrive(login, wantedPage())} />
    </Layout>
  )
}

/** Somebody who is signed in has nothing to do here. */
function Leave() {
  useEffect(() => location.replace('/'), [])
  return null
}
