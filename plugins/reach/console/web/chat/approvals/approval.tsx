import type { ThreadStore } from '../store/thread-store.ts'
import { useThread } from '../store/threads.ts'
import { ApprovalBatch } from './approval-batch.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { Authorization } from './authorization.tsx'
import { ClientCalls } from './client-calls.tsx'
import { listRequests } from './decisions.ts'

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
  return others.length > 0 ? (
    <ApprovalBatch key={pending.pending_id} store={store} pending={pending} />
  ) : (
    <ApprovalCard key={pending.pending_id} store={store} pending={pending} request={request} />
  )
}
