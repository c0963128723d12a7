import { t } from '../../i18n/words.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import type { PendingApproval } from '../store/thread-view.ts'
import { useThread } from '../store/threads.ts'
import { ApprovalBatch } from './approval-batch.tsx'
import classes from './approval-card.module.css'
import { ApprovalCard } from './approval-card.tsx'
import { Authorization } from './authorization.tsx'
import { findQuestion, listRequests } from './decisions.ts'
import { Expiry } from './expiry.tsx'
import { QuestionCard } from './question-card.tsx'

/** The decisions or results that the turn of a thread waits for, if it waits. */
export default function Approval({ store }: { store: ThreadStore }) {
  const pending = useThread(store, (view) => view.pending)
  if (!pending) return null
  const [request, ...others] = listRequests(pending)
  if (!request) return null
  if (request.for_client) return <ClientCalls pending={pending} />
  const needs = listRequests(pending).flatMap(({ authorization_required: need }) => (need ? [need] : []))
  if (needs.length > others.length)
    return <Authorization key={pending.pending_id} store={store} pending={pending} needs={needs} />
  if (others.length > 0) return <ApprovalBatch key={pending.pending_id} store={store} pending={pending} />
  const Card = findQuestion(pending) ? QuestionCard : ApprovalCard
  return <Card key={pending.pending_id} store={store} pending={pending} request={request} />
}

/** A turn that waits for results of the program that asked, which nobody decides here. */
function ClientCalls({ pending: { action_requests, expires_at } }: { pending: PendingApproval }) {
  return (
    <section className={classes.card} aria-label={t('approvals.program_title')}>
      <header className={classes.head}>
        <span>{t('approvals.program_title')}</span>
        <Expiry at={expires_at} />
      </header>
      <p className={classes.note}>
        {t('approvals.program', { names: action_requests.map(({ name }) => name).join(', ') })}
      </p>
    </section>
  )
}
