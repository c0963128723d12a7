import { Button, Group, SegmentedControl, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Decision } from '#client'
import { t } from '../../i18n/words.ts'
import { Failure } from '../../ui/failure.tsx'
import { Time } from '../../ui/time.tsx'
import type { ThreadStore } from '../store/thread-store.ts'
import type { PendingApproval } from '../store/thread-view.ts'
import classes from './approval-card.module.css'
import { ArgumentsForm } from './arguments-form.tsx'
import { AuthorizationNeed } from './authorization.tsx'
import { listRequests, type Request } from './decisions.ts'
import { RequestView, useArguments } from './request-view.tsx'

interface Props {
  store: ThreadStore
  pending: PendingApproval
}

/** Several actions that wait for a person: each is decided by itself, and all decisions are sent at once. */
export function ApprovalBatch({ store, pending }: Props) {
  const requests = listRequests(pending)
  const [decisions, setDecisions] = useState<Record<number, Decision>>({})
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const decided = requests.map((_, index) => decisions[index])
  const open = decided.filter((decision) => decision === undefined).length

  const send = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await store.decide(
        pending.pending_id,
        decided.filter((decision) => decision !== undefined),
      )
    } catch (reason) {
      setError(reason)
      setBusy(false)
    }
  }

  return (
    <section className={classes.card} aria-label={t('approvals.title')}>
      <header className={classes.head}>
        <span>{t('approvals.several', { count: requests.length })}</span>
        <span className={classes.expiry}>
          {t('approvals.expires')} <Time at={pending.expires_at} />
        </span>
      </header>
      {requests.map((request, index) => (
        <BatchItem
          key={`${request.id}.${pending.pending_id}`}
          store={store}
          pending={pending}
          request={request}
          index={index}
          decision={decisions[index]}
          onDecide={(decision) => setDecisions((all) => ({ ...all, [index]: decision }))}
        />
      ))}
      {error !== undefined && <Failure error={error} />}
      <Group gap="sm" className={classes.actions}>
        <Button size="xs" loading={isBusy} disabled={open > 0} onClick={() => void send()}>
          {t('approvals.send')}
        </Button>
        {open > 0 && <span className={classes.note}>{t('approvals.open', { count: open })}</span>}
      </Group>
    </section>
  )
}

interface ItemProps extends Props {
  request: Request
  index: number
  decision: Decision | undefined
  onDecide(decision: Decision): void
}

function BatchItem({ store, pending, request, index, decision, onDecide }: ItemProps) {
  const [isEditing, setEditing] = useState(false)
  const { args, isPending } = useArguments(store, pending, index)
  const { allowed, name } = request
  const shown = decision?.type === 'edit' ? decision.edited_action.args : args
  const choose = (type: string) => {
    if (type === 'approve') onDecide({ type })
    else if (type === 'reject') onDecide({ type })
    else if (type === 'respond') onDecide({ type, message: '' })
  }
  if (isEditing)
    return (
      <div className={classes.item}>
        <ArgumentsForm
          args={shown}
          onCancel={() => setEditing(false)}
          onSubmit={(changed) => {
            onDecide({ type: 'edit', edited_action: { name, args: changed } })
            setEditing(false)
          }}
        />
      </div>
    )
  const message = decision?.type === 'reject' || decision?.type === 'respond' ? decision : undefined
  return (
    <div className={classes.item}>
      {request.authorization_required ? (
        <AuthorizationNeed need={request.authorization_required} />
      ) : (
        <RequestView request={request} args={shown} />
      )}
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label={t('approvals.decision', { place: index + 1 })}
          disabled={isPending}
          value={decision?.type === 'edit' ? 'approve' : (decision?.type ?? '')}
          onChange={choose}
          data={(['approve', 'respond', 'reject'] as const)
            .filter((type) => allowed.includes(type))
            .map((type) => ({ value: type, label: t(`approvals.${type}`) }))}
        />
        {allowed.includes('edit') && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            disabled={isPending}
            onClick={() => setEditing(true)}
          >
            {t('common.edit')}
          </Button>
        )}
        {decision?.type === 'edit' && <span className={classes.note}>{t('approvals.changed')}</span>}
      </Group>
      {message && (
        <TextInput
          mt="sm"
          size="xs"
          label={t(message.type === 'reject' ? 'approvals.reason' : 'approvals.answer')}
          value={message.message ?? ''}
          onChange={(event) => onDecide({ type: message.type, message: event.currentTarget.value })}
        />
      )}
    </div>
  )
}
