import { lazy, Suspense, useEffect } from 'react'
import { t } from '../i18n/words.ts'
import { readSession } from '../session/token.ts'
import { arrive, wantedPage } from './arrive.ts'
import { Layout } from './layout.tsx'
import { PasswordForm } from './password-form.tsx'

const Complete = lazy(() => import('./complete.tsx'))
const Invited = lazy(() => import('./invited.tsx'))
const ServiceFailure = lazy(() => import('./service-failure.tsx'))

/** Signs somebody in: by a password, by another service, or by an invite. */
export default function SignIn() {
  // The console is needed next, and the page has nothing else to load.
  useEffect(() => void import('../app.tsx'), [])

  if (location.pathname === '/login/oauth/complete') return <Suspense>{<Complete />}</Suspense>
  if (location.pathname === '/invite') return <Suspense>{<Invited />}</Suspense>
  const reason = new URLSearchParams(location.search).get('oauth_error')
  const failure = reason !== null && location.pathname === '/login' && (
    <Suspense>
      <ServiceFailure reason={reason} />
    </Suspense>
  )
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
