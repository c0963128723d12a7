import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { readFailure } from '../server/failure.ts'
import { Failure } from '../ui/failure.tsx'
import { Loading } from '../ui/pending.tsx'
import { ContinueSheet } from './continue-sheet.tsx'
import { readShared } from './read-shared.ts'
import classes from './shared-conversation.module.css'
import { SharedConversationView } from './shared-conversation.tsx'
import { SharedMissing } from './shared-missing.tsx'

/** A shared conversation as somebody who is signed in reads it. */
export default function SharedPage() {
  const { share = '' } = useParams({ strict: false })
  const [isContinuing, setContinuing] = useState(false)
  const shared = useQuery({ queryKey: ['shared', share], queryFn: () => readShared(share), retry: false })
  const isMissing = shared.error !== null && readFailure(shared.error).code === 'NOT_FOUND'
  return (
    <main className={classes.page}>
      {shared.data && (
        <SharedConversationView
          conversation={shared.data}
          action={<Button onClick={() => setContinuing(true)}>{t('shares.continue')}</Button>}
        />
      )}
      {shared.isPending && <Loading height={240} />}
      {isMissing && (
        <SharedMissing about={t('shares.missing_about')}>
          <Button variant="default" component={Link} to="/">
            {t('frame.to_chat')}
          </Button>
        </SharedMissing>
      )}
      {shared.error && !isMissing && <Failure error={shared.error} onRetry={() => void shared.refetch()} />}
      {isContinuing && <ContinueSheet share_id={share} onClose={() => setContinuing(false)} />}
    </main>
  )
}
