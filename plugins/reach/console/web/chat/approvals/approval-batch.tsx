import { Button, Group, SegmentedControl, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Decision } from '#client'
import { t } from '../../i18n/words.ts'
import { Failure } from '../../ui/failure.tsx'
import type { ThreadStore } from '../store/thread-store.ts'
import type { PendingApproval } from '../store/thread-view.ts'
import classes from './approval-card.module.css'
import { ArgumentsForm } from './arguments-form.tsx'
import { AuthorizationNeed } from './authorization.tsx'
import { listRequests, type Request } from './decisions.ts'
import { Expiry } from './expiry.tsx'
import { KeyHint } from './key-hint.tsx'
import { RequestView, useArguments } from './request-view.tsx'
import { useDecisionKeys } from './use-decision-keys.ts'

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
  const [editing, setEditing] = useState<number>()
  const decide = (index: number, decision: Decision) => setDecisions((all) => ({ ...all, [index]: decision }))
  /** The request that keys decide: the first one that is open. */
  const current = decided.indexOf(undefined)
  const allows = (type: Decision['type']) => requests[current]?.allowed.includes(type) ?? false

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

  const hasKeys = useDecisionKeys(store.thread_id, !isBusy && editing === undefined, {
    a: () => allows('approve') && decide(current, { type: 'approve' }),
    r: () => allows('reject') && decide(current, { type: 'reject' }),
    e: () => allows('edit') && setEditing(current),
    Enter: () => open === 0 && void send(),
  })

  return (
    <section className={classes.card} aria-label={t('approvals.title')}>
      <header className={classes.head}>
        <span>{t('approvals.several', { count: requests.length })}</span>
        <Expiry at={pending.expires_at} about={t('approvals.expires_about')} />
      </header>
      {requests.map((request, index) => (
        <BatchItem
          key={`${request.id}.${pending.pending_id}`}
          store={store}
          pending={pending}
          request={request}
          index={index}
          decision={decisions[index]}
          hasKeys={hasKeys && index === current}
          isCurrent={index === current}
          isEditing={index === editing}
          onEdit={(isEditing) => setEditing(isEditing ? index : undefined)}
          onDecide={(decision) => decide(index, decision)}
        />
      ))}
      {error !== undefined && <Failure error={error} />}
      <Group gap="sm" className={classes.actions}>
        <Button
          size="xs"
          loading={isBusy}
          disabled={open > 0}
          onClick={() => void send()}
          rightSection={open === 0 && <KeyHint letter="↵" isOn={hasKeys} />}
        >
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
  /** True if keys decide it. */
  hasKeys: boolean
  /** True for the first request that is open. */
  isCurrent: boolean
  isEditing: boolean
  onEdit(isEditing: boolean): void
  onDecide(decision: Decision): void
}

const KEYS = { approve: 'A', reject: 'R', respond: undefined } as const

function BatchItem({
  store,
  pending,
  request,
  index,
  decision,
  hasKeys,
  isCurrent,
  isEditing,
  onEdit,
  onDecide,
}: ItemProps) {
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
          onCancel={() => onEdit(false)}
          onSubmit={(changed) => {
            onDecide({ type: 'edit', edited_action: { name, args: changed } })
            onEdit(false)
          }}
        />
      </div>
    )
  const message = decision?.type === 'reject' || decision?.type === 'respond' ? decision : undefined
  return (
    <div className={classes.item} data-current={isCurrent}>
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
            .map((type) => ({
              value: type,
              label: (
                <>
                  <span>{t(`approvals.${type}`)}</span>
                  {isCurrent && KEYS[type] && <KeyHint letter={KEYS[type]} isOn={hasKeys} />}
                </>
              ),
            }))}
        />
        {allowed.includes('edit') && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            disabled={isPending}
            onClick={() => onEdit(true)}
          >
            {t('common.edit')}
            {isCurrent && <KeyHint letter="E" isOn={hasKeys} />}
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
