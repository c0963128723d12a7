import { Button, Loader } from '@mantine/core'
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { queries } from '../server/queries.ts'
import { Preferences } from '../sign-in/layout.tsx'
import { SignIn } from '../sign-in/sign-in.tsx'
import { Failure } from '../ui/failure.tsx'
import { readShared } from './read-shared.ts'
import classes from './shared-conversation.module.css'
import { SharedConversationView } from './shared-conversation.tsx'
import { SharedMissing } from './shared-missing.tsx'

/** A shared conversation as somebody without a session reads it. The sign-in leads back to it. */
export default function StrangerPage() {
  const [isSigningIn, setSigningIn] = useState(false)
  if (isSigningIn) return <SignIn />
  return (
    <QueryClientProvider client={queries}>
      <Reading onSignIn={() => setSigningIn(true)} />
    </QueryClientProvider>
  )
}

function Reading({ onSignIn }: { onSignIn(): void }) {
  const share_id = decodeURIComponent(location.pathname.split('/')[2] ?? '')
  const shared = useQuery({
    queryKey: ['shared by strangers', share_id],
    queryFn: () => readShared(share_id),
    retry: false,
  })
  const { code } = shared.error ? readFailure(shared.error) : {}
  const isHidden = code === 'AUTH_FAILED' || code === 'NOT_FOUND'
  return (
    <div className={classes.page}>
      <main>
        {shared.isPending && (
          <Loader mx="auto" my={48} display="block" size="sm" aria-label={t('common.loading')} />
        )}
        {shared.data && (
          <SharedConversationView
            conversation={shared.data}
            action={
              <Button variant="default" onClick={onSignIn}>
                {t('shares.sign_in_continue')}
              </Button>
            }
          />
        )}
        {isHidden && (
          <SharedMissing
            about={t(code === 'AUTH_FAILED' ? 'shares.for_accounts' : 'shares.missing_stranger')}
          >
            <Button onClick={onSignIn}>{t('shares.sign_in')}</Button>
          </SharedMissing>
        )}
        {shared.error && !isHidden && <Failure error={shared.error} onRetry={() => void shared.refetch()} />}
      </main>
      <div className={classes.foot}>
        <Preferences />
      </div>
    </div>
  )
}
