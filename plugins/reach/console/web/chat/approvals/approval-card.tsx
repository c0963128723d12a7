import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { Decision } from '#client'
import { t } from '../../i18n/words.ts'
import { Failure } from '../../ui/failure.tsx'
import type { ThreadStore } from '../store/thread-store.ts'
import type { PendingApproval } from '../store/thread-view.ts'
import classes from './approval-card.module.css'
import { ArgumentsForm } from './arguments-form.tsx'
import type { Request } from './decisions.ts'
import { Expiry } from './expiry.tsx'
import { KeyHint } from './key-hint.tsx'
import { RejectForm } from './reject-form.tsx'
import { RequestView, useArguments } from './request-view.tsx'
import { useDecisionKeys } from './use-decision-keys.ts'

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
  const canEdit = allowed.includes('edit')
  const hasKeys = useDecisionKeys(store.thread_id, mode === 'decide' && !isBusy && !isPending, {
    a: approve,
    r: () => setMode('reject'),
    ...(canEdit && { e: () => setMode('edit') }),
  })

  return (
    <section className={classes.card} aria-label={t('approvals.title')}>
      <header className={classes.head}>
        <span>{t('approvals.title')}</span>
        <Expiry at={pending.expires_at} about={t('approvals.expires_about')} />
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
          label={t('approvals.reject')}
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
              rightSection={<KeyHint letter="A" isOn={hasKeys} />}
            >
              {t('approvals.approve')}
            </Button>
          )}
          {allowed.includes('approve') && !request.is_step && (
            <Button
              size="xs"
              variant="default"
              className={classes.lasting}
              disabled={isBusy || isPending}
              onClick={() => void decide({ type: 'approve', for_thread: true })}
            >
              {t('approvals.for_thread')}
            </Button>
          )}
          {canEdit && (
            <Button
              size="xs"
              variant="default"
              disabled={isBusy || isPending}
              onClick={() => setMode('edit')}
              rightSection={<KeyHint letter="E" isOn={hasKeys} />}
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
            rightSection={<KeyHint letter="R" isOn={hasKeys} />}
          >
            {t('approvals.reject')}
          </Button>
        </Group>
      )}
    </section>
  )
}
