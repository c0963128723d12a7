import { AppError, type Issue, type ServerSentEvent } from '#plugin-api'
import { requestArguments, requestParams, verdict } from './approval-schemas.ts'
import type { ThreadDocument } from './documents.ts'
import { turnFrame } from './frames.ts'
import type { Decision, PendingApproval } from './ledger/ledger-event.ts'
import { waitsForClient } from './loop/client-tools.ts'
import { checkInput } from './loop/tool-input.ts'
import { type Cradle, route } from './manifest.ts'
import { sanitizeForStorage } from './sanitize.ts'
import { assertMayAllow } from './tool-scopes.ts'

/** The routes for people's decisions about the calls of agents. */
export const approvalRoutes = [
  route({
    method: 'GET',
    path: '/agents/:id/chat/hitl/:pending_id/threads/:thread_id/args/:index',
    operation_id: 'getRequestArguments',
    summary: 'Get all arguments of a request',
    description:
      'Frames and the history shorten long arguments. This returns those that would run, as long as the turn waits for the decision; `args_url` of a request is the address of this operation.',
    guard: 'agent',
    params: requestParams,
    response: { 200: requestArguments },
    errors: ['THREAD_NOT_FOUND', 'HITL_NOT_PENDING', 'NOT_FOUND'],
  }).handle(async ({ caller, agent, params }, { threads, resumption }) => {
    const thread = await threads.get({ user_id: caller.id, agent_id: agent._id }, params.thread_id)
    const index = /^\d{1,2}$/.test(params.index) ? Number(params.index) : -1
    return resumption.readArguments(thread, params.pending_id, index)
  }),

  route({
    method: 'POST',
    path: '/agents/:id/chat/hitl/resume',
    operation_id: 'resumeTurn',
    summary: 'Decide the requests of a paused turn',
    description:
      'Takes one decision for each of the `action_requests`, in their order, and continues the turn. The reply is an event stream with the frames that follow, until the turn ends or pauses again; open sockets get them as well. The turn continues even if you disconnect. Of several decisions exactly one takes effect, and the others are answered with 409 `HITL_NOT_PENDING`.',
    guard: 'agent',
    scope: 'chat',
    audit: 'thread.decide',
    body: verdict,
    stream: 'events',
    response: { 200: turnFrame },
    errors: ['THREAD_NOT_FOUND', 'HITL_NOT_PENDING', 'AGENT_NOT_RUNNING', 'SCOPE_MISSING'],
  }).handle(async ({ caller, agent, body, signal }, cradle) => {
    const { threads, resumption, extensions } = cradle
    const owner = { user_id: caller.id, agent_id: agent._id }
    const thread = await threads.get(owner, body.thread_id)
    const pending = await resumption.readPending(thread)
    if (!pending || waitsForClient(pending) || (body.pending_id ?? pending.pending_id) !== pending.pending_id)
      throw new AppError('HITL_NOT_PENDING')
    // The decisions are checked in the form in which they are stored and run.
    const decisions = sanitizeForStorage(body.decisions) as Decision[]
    assertFitting(decisions, pending, extensions)
    const allowed = pending.action_requests.filter((_, index) => decisions[index]!.type !== 'reject')
    assertMayAllow(
      caller,
      allowed.map(({ name }) => name),
      { extensions },
    )
    if (agent.state !== 'running') throw new AppError('AGENT_NOT_RUNNING', { state: agent.state })
    await resumption.decide(thread, pending, decisions)
    return framesOf(thread, { signal, cradle })
  }),
]

/** Streams the frames after the decision, up to the end of the turn or its next pause. */
async function* framesOf(
  { _id: thread_id, user_id, agent_id, active_turn }: ThreadDocument,
  { signal, cradle: { chat } }: { signal: AbortSignal; cradle: Cradle },
): AsyncGenerator<ServerSentEvent> {
  const { turn_id, paused } = active_turn!
  const turn = { thread_id, user_id, agent_id, turn_id, after: paused!.seq }
  for await (const { seq, type, frame } of chat.follow(turn, signal))
    yield { id: String(seq), event: type, data: { type, thread_id, turn_id, seq, ...frame } }
}

/** Throws VALIDATION_FAILED if the decisions do not fit the requests. */
function assertFitting(
  decisions: readonly Decision[],
  { action_requests, review_configs }: PendingApproval,
  extensions: Cradle['extensions'],
): void {
  const refuse = (path: string, rule: string, message: string): never => {
    throw new AppError('VALIDATION_FAILED', { issues: [{ path, rule, message } satisfies Issue] })
  }
  const { length } = action_requests
  if (decisions.length !== length)
    refuse('/decisions', 'length', `must have one entry for each of the ${length} requests`)
  for (const [index, decision] of decisions.entries()) {
    const path = `/decisions/${index}`
    const { name } = action_requests[index]!
    const { allowed_decisions } = review_configs[index]!
    if (!allowed_decisions.includes(decision.type))
      refuse(`${path}/type`, 'enum', `must be one of ${allowed_decisions.join(', ')}`)
    if (decision.type !== 'edit') continue
    const { edited_action } = decision
    if (edited_action.name !== name)
      refuse(
        `${path}/edited_action/name`,
        'const',
        `must be "${name}": another tool cannot be called instead`,
      )
    const tool = extensions['agents.tools'].get(name)
    if (tool)
      assertInput(() => checkInput(tool, structuredClone(edited_action.args)), `${path}/edited_action/args`)
  }
}

/** Adds the path of the arguments to the issues that a tool reports. */
function assertInput(check: () => unknown, path: string): void {
  try {
    check()
  } catch (error) {
    const issues = (error as AppError).details.issues as Issue[]
    throw new AppError(
      'VALIDATION_FAILED',
      { issues: issues.map((issue) => ({ ...issue, path: `${path}${issue.path}` })) },
      { cause: error },
    )
  }
}
