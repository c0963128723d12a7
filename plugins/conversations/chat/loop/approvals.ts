import { isDeepStrictEqual } from 'node:util'
import type { ApprovalStep, AuthorizationNeed, Locale, Tool } from '#plugin-api'
import type { ActionRequest, DecisionType, PendingApproval } from '../ledger/ledger-event.ts'
import { boundJson, sanitizeForStorage } from '../sanitize.ts'
import type { RemoteTool } from './client-tools.ts'
import { limitOutput } from './tool-output.ts'

/** A request that a person must decide before a turn can continue. */
export interface Request extends ActionRequest {
  allowed_decisions: readonly DecisionType[]
  /** The arguments as JSON, if `args` does not show them unchanged; those for a program as the model wrote them. */
  whole_args?: string
  /** True if its program receives it alone. */
  is_sequential?: boolean
}

/** The most requests per pause: as many as can be decided at once. */
const MAX_REQUESTS = 16

const APPROVAL: readonly DecisionType[] = ['approve', 'edit', 'reject']
const STEP: readonly DecisionType[] = ['approve', 'reject']
const QUESTION: readonly DecisionType[] = ['respond', 'reject']

/** The most characters of arguments per pause; a call with more cannot be approved. */
const MAX_WHOLE_CHARACTERS = 1_048_576

type Call = Omit<ActionRequest, 'description'>

/** Returns a call's arguments as a person sees them, and all of them if that is something else. */
function toReviewable(input: unknown): Pick<Request, 'args' | 'whole_args'> {
  const args = sanitizeForStorage(boundJson(input)) as Record<string, unknown>
  if (isDeepStrictEqual(args, input)) return { args }
  const whole_args = JSON.stringify(input)
  if (whole_args.length > MAX_WHOLE_CHARACTERS)
    throw new Error(
      `the arguments are too long to be approved by a person: ${whole_args.length} characters of at most ${MAX_WHOLE_CHARACTERS}`,
    )
  return { args, whole_args }
}

/** Asks whether a call may run; throws if its arguments, as the model wrote them, are too long to be shown. */
export function requestApproval(call: Call, input: unknown, { label }: Tool, locale: Locale): Request {
  const description = {
    en: `The agent wants to use “${label.en}” (${call.name}).`,
    zh: `智能体请求使用“${label.zh}”（${call.name}）。`,
  }
  return { ...call, ...toReviewable(input), description: description[locale], allowed_decisions: APPROVAL }
}

/** Asks a tool's question. */
export const requestAnswer = (call: Call, question: string): Request => ({
  ...call,
  description: question.toWellFormed(),
  allowed_decisions: QUESTION,
})

/** Asks the program of a turn for the result of its tool; `input` are the arguments as the model wrote them. */
export function requestResult(
  call: Call,
  input: string,
  { name, is_sequential }: RemoteTool,
  locale: Locale,
): Request {
  const description = {
    en: `Waiting for the result of “${name}” from the program that sent the message.`,
    zh: `等待发送消息的程序返回“${name}”的结果。`,
  }
  return {
    ...call,
    description: description[locale],
    for_client: true,
    whole_args: input,
    is_sequential,
    allowed_decisions: QUESTION,
  }
}

/** Asks a question of a running call. */
export const requestHeldAnswer = (call: Call, question: string): Request => ({
  ...requestAnswer(call, question),
  is_step: true,
})

/** Asks for credentials of the user; any answer means that they are there. */
export function requestAuthorization(call: Call, need: AuthorizationNeed, locale: Locale): Request {
  const { fields, ...server } = need
  const { name, origin = name, authorization_url: url } = server
  const description = url
    ? {
        en: `Sign in to “${name}” so that the agent can use it: ${url}`,
        zh: `请登录“${name}”，以便智能体使用：${url}`,
      }
    : {
        en: `Enter your own credentials for “${name}” (${fields?.join(', ')}) so that the agent can use it. They are sent only to ${origin}.`,
        zh: `请填写您自己的“${name}”凭据（${fields?.join('、')}，仅发送至 ${origin}），以便智能体使用。`,
      }
  return {
    ...call,
    description: description[locale],
    authorization_required: { ...server, ...(fields && { fields: [...fields] }) },
    allowed_decisions: QUESTION,
  }
}

/** Asks whether a running call may take a step; throws like `requestApproval`. */
export const requestStep = (call: Call, { description, args }: ApprovalStep): Request => ({
  ...call,
  ...toReviewable(args),
  description: limitOutput(description),
  is_step: true,
  allowed_decisions: STEP,
})

/** Returns the approval that readers see, and a record of the arguments that it does not show. */
export function toPendingApproval(
  requests: readonly Request[],
  {
    pending_id,
    expires_at,
    agent_id,
    thread_id,
  }: Pick<PendingApproval, 'pending_id' | 'expires_at'> & { agent_id: string; thread_id: string },
): { pending: PendingApproval; whole_args: Record<string, string> | undefined } {
  const put = takeFirst(requests)
  const hidden = put.flatMap(({ whole_args }, index) =>
    whole_args === undefined ? [] : [[String(index), whole_args]],
  )
  const urlOf = (index: number) =>
    `/api/agents/${agent_id}/chat/hitl/${pending_id}/threads/${thread_id}/args/${index}`
  return {
    pending: {
      pending_id,
      action_requests: put.map(({ allowed_decisions, whole_args, is_sequential, ...request }, index) => ({
        ...request,
        ...(whole_args === undefined || request.for_client ? {} : { args_url: urlOf(index) }),
      })),
      review_configs: put.map(({ name, allowed_decisions }) => ({
        action_name: name,
        allowed_decisions: [...allowed_decisions],
      })),
      expires_at,
    },
    whole_args: hidden.length > 0 ? Object.fromEntries(hidden) : undefined,
  }
}

/** Takes the requests for one pause, those for a program first; the others follow when these are decided. */
function takeFirst(requests: readonly Request[]): readonly Request[] {
  const forClient = requests.filter(({ for_client }) => for_client)
  if (forClient.length > 0) return forClient.slice(0, forClient[0]!.is_sequential ? 1 : MAX_REQUESTS)
  let characters = 0
  const end = requests.findIndex(({ whole_args = '' }, index) => {
    characters += whole_args.length
    return index === MAX_REQUESTS || (index > 0 && characters > MAX_WHOLE_CHARACTERS)
  })
  return end < 0 ? requests : requests.slice(0, end)
}
