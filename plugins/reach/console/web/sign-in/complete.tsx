import { Button, Loader, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { t } from '../i18n/words.ts'
import { loadApp } from '../load-app.ts'
import { Failure } from '../ui/failure.tsx'
import { arrive, takeState, toOwnPage } from './arrive.ts'
import { Layout } from './layout.tsx'
import { type Login, post } from './post.ts'

/** The data in the address is used once, also if React runs an effect twice. */
let completion: Promise<void> | undefined

async function complete(): Promise<void> {
  const data = new URLSearchParams(location.hash.slice(1))
  const redirect = toOwnPage(data.get('redirect') ?? '/')
  const code = data.get('code')
  history.replaceState(null, '', location.pathname)
  if (code === null) return location.replace(data.has('bound') ? redirect : '/')
  const state = takeState()
  const login = await post<Login>('/auth/oauth/exchange', { code, cookie: true, ...(state ? { state } : {}) })
  arrive(login, redirect)
}

/** Completes a sign-in at another service, whose code is in the fragment of the address. */
export function Complete() {
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    completion ??= complete()
    void loadApp()
    completion.catch(setError)
  }, [])
  return (
    <Layout title={t('sign-in.completing')}>
      {error === undefined ? (
        <Loader mx="auto" display="block" size="sm" aria-label={t('common.loading')} />
      ) : (
        <Stack gap="md">
          <Failure error={error} />
          <Button component="a" href="/login" variant="default">
            {t('sign-in.to_sign_in')}
          </Button>
        </Stack>
      )}
    </Layout>
  )
}
