import { api } from '../../server/client.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { CallInput } from '../messages/call-input.tsx'
import { describeCall } from '../messages/describe-call.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import type { PendingApproval } from '../store/thread-view.ts'
import classes from './approval-card.module.css'
import type { Request } from './decisions.ts'
import { Delegator } from './delegator.tsx'

/** The tools whose object is the beginning of what is shown below it. */
const SHOWN_BELOW = new Set(['execute', 'run_python'])

/** An action that waits for a person, as a person reads it. */
export function RequestView({ request, args }: { request: Request; args: Record<string, unknown> }) {
  const { name, description, allowed, is_step, parent_tool_call_id } = request
  if (allowed.includes('respond')) return <Markdown text={description} />
  const { icon: Icon, verb, object } = describeCall(name, args)
  return (
    <div>
      <p className={classes.what}>
        <Icon size={16} aria-hidden />
        <b>{verb}</b>
        {!SHOWN_BELOW.has(name) && object && <code>{object}</code>}
      </p>
      {parent_tool_call_id !== undefined && <Delegator parent={parent_tool_call_id} />}
      {is_step && <p className={classes.note}>{description}</p>}
      <CallInput name={name} input={args} />
    </div>
  )
}

/** All arguments of a request; the frame leaves out what is long or cannot be shown unchanged. */
export function useArguments(
  store: ThreadStore,
  { pending_id, action_requests }: PendingApproval,
  index: number,
) {
  const request = action_requests[index]!
  const path = { id: store.agent_id, pending_id, thread_id: store.thread_id, index: String(index) }
  const whole = api.useQuery(
    'get',
    '/agents/{id}/chat/hitl/{pending_id}/threads/{thread_id}/args/{index}',
    { params: { path } },
    { enabled: request.args_url !== undefined },
  )
  return {
    args: whole.data?.args ?? request.args,
    isPending: request.args_url !== undefined && whole.isPending,
  }
}
