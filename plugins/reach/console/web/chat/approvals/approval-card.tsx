import { Button, Group, Kbd } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useState } from 'react'
import type { Decision } from '#client'
import { t } from '../../i18n/words.ts'
import { Failure } from '../../ui/failure.tsx'
import { Time } from '../../ui/time.tsx'
import type { ThreadStore } from '../store/thread-store.ts'
import type { PendingApproval } from '../store/thread-view.ts'
import classes from './approval-card.module.css'
import { ArgumentsForm } from './arguments-form.tsx'
import type { Request } from './decisions.ts'
import { RejectForm } from './reject-form.tsx'
import { RequestView, useArguments } from './request-view.tsx'

interface Props {
  store: ThreadStore
  pending: PendingApproval
  request: Request
}

/** One action of the agent that waits for a person: its arguments, and what can be decided. */
export function ApprovalCard({ store, pending, request }: Props) {
  const [mode, setMode] = useState<'decide' | 'edit' | 'reject'>('decide')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const { args, isPending } = useArguments(store, pending, 0)
  const { allowed, name } = request
  const isQuestion = allowed.includes('respond')

  const decide = async (decision: Decision) => {
    setBusy(true)
    setError(undefined)
    try {
      await store.decide(pending.pending_id, [decision])
    } catch (reason) {
      setError(reason)
      setBusy(false)
    }
  }
  const approve = () => void decide({ type: 'approve' })
  const canDecide = mode === 'decide' && !isBusy && !isQuestion && !isPending
  useHotkeys([
    ['a', () => canDecide && approve()],
    ['e', () => canDecide && allowed.includes('edit') && setMode('edit')],
    ['r', () => canDecide && setMode('reject')],
  ])

  return (
    <section className={classes.card} aria-label={t('approvals.title')}>
      <header className={classes.head}>
        <span>{t(isQuestion ? 'approvals.question' : 'approvals.title')}</span>
        <span className={classes.expiry}>
          {t('approvals.expires')} <Time at={pending.expires_at} />
        </span>
      </header>
      {mode === 'edit' ? (
        <ArgumentsForm
          args={args}
          onCancel={() => setMode('decide')}
          onSubmit={(changed) => decide({ type: 'edit', edited_action: { name, args: changed } })}
        />
      ) : (
        <RequestView request={request} args={args} />
      )}
      {error !== undefined && <Failure error={error} />}
      {mode === 'reject' && (
        <RejectForm
          isBusy={isBusy}
          onCancel={() => setMode('decide')}
          onSubmit={(message) => decide({ type: 'reject', ...(message ? { message } : {}) })}
        />
      )}
      {mode === 'decide' && (
        <Group gap="sm" className={classes.actions}>
          {allowed.includes('approve') && (
            <Button
              size="xs"
              loading={isBusy}
              disabled={isPending}
              onClick={approve}
              rightSection={<Kbd size="xs">A</Kbd>}
            >
              {t('approvals.approve')}
            </Button>
          )}
          {allowed.includes('approve') && !request.is_step && (
            <Button
              size="xs"
              variant="default"
              disabled={isBusy || isPending}
              onClick={() => void decide({ type: 'approve', for_thread: true })}
            >
              {t('approvals.for_thread')}
            </Button>
          )}
          {allowed.includes('edit') && (
            <Button
              size="xs"
              variant="default"
              disabled={isBusy || isPending}
              onClick={() => setMode('edit')}
              rightSection={<Kbd size="xs">E</Kbd>}
            >
              {t('common.edit')}
            </Button>
          )}
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            disabled={isBusy}
            onClick={() => setMode('reject')}
            rightSection={isQuestion ? undefined : <Kbd size="xs">R</Kbd>}
          >
            {t(isQuestion ? 'approvals.skip' : 'approvals.reject')}
          </Button>
        </Group>
      )}
    </section>
  )
}
