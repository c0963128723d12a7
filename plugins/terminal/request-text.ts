import type { ApprovalRequest, ApprovalResolution, Decision } from './frames.ts'
import { reveal, shorten, toVisibleJSON, wrap } from './printable.ts'

const INDENT = '  '
/** Stand before the lines of a text and before what is left of one, so that nothing passes for something else. */
const BAR = `${INDENT}│ `
const REST = `${INDENT}┆ `
const LEAST_COLUMNS = 16
const NAME_COLUMNS = 64
const REASON_COLUMNS = 60

/** Whether a request wants an answer in words rather than an approval. */
export const isQuestion = ({ review_configs }: ApprovalRequest, index: number) =>
  review_configs[index]!.allowed_decisions.includes('respond')

/** The name of the tool that a request is about, on one line. */
export const nameOf = ({ action_requests }: ApprovalRequest, index: number) =>
  shorten(action_requests[index]!.name, NAME_COLUMNS)

/** What stands above a request: which one it is, and what wants to be done. */
export function describePlace(request: ApprovalRequest, index: number): string {
  const { length } = request.action_requests
  const place = length > 1 ? `${index + 1} of ${length} · ` : ''
  const { parent_tool_call_id } = request.action_requests[index]!
  const within = parent_tool_call_id === undefined ? '' : ', within a task that was handed on'
  return `${isQuestion(request, index) ? '?' : '⚠'} ${place}${nameOf(request, index)}${within}`
}

/** What a request says and the arguments of its call, all of it visible, in rows of that many terminal columns. */
export function describeRequest(request: ApprovalRequest, index: number, columns: number): string[] {
  const { description, args, args_url } = request.action_requests[index]!
  const words = layOut(description, columns, INDENT, INDENT)
  if (isQuestion(request, index)) return words
  const hint = `Not all of the arguments are shown; they can be read at ${args_url}`
  if (args_url !== undefined) words.push(...layOut(hint, columns, INDENT, INDENT))
  return [...words, ...Object.entries(args).flatMap(([key, value]) => describeArgument(key, value, columns))]
}

function describeArgument(key: string, value: unknown, columns: number): string[] {
  const name = /^\w+$/.test(key) ? key : toVisibleJSON(key)
  if (typeof value === 'string' && value.includes('\n'))
    return [...layOut(`${name}:`, columns), ...layOut(value, columns, BAR)]
  const line = `${name}: ${toVisibleJSON(value)}`
  const isLong = typeof value === 'object' && INDENT.length + line.length > columns
  return layOut(isLong ? `${name}: ${toVisibleJSON(value, 2)}` : line, columns)
}

const layOut = (text: string, columns: number, first = INDENT, further = REST): string[] =>
  reveal(text)
    .split('\n')
    .flatMap((line) =>
      wrap(line, Math.max(columns - REST.length, LEAST_COLUMNS)).map(
        (row, index) => (index === 0 ? first : further) + row,
      ),
    )

/** Tells, on one line, how a pause ended that was not ended here. */
export function describeResolution(
  request: ApprovalRequest,
  { outcome, decisions }: ApprovalResolution,
): string {
  if (outcome === 'expired') return 'Nobody decided in time, which counts as rejected.'
  if (outcome === 'stopped') return 'The turn was stopped meanwhile.'
  const parts = decisions.map((decision, index) => `${nameOf(request, index)} ${describeDecision(decision)}`)
  return `Decided meanwhile: ${parts.join(', ')}.`
}

/** What was decided, in a few words. */
export function describeDecision(decision: Decision): string {
  switch (decision.type) {
    case 'approve':
      return decision.for_thread ? 'approved for this thread' : 'approved'
    case 'edit':
      return `approved as ${shorten(toVisibleJSON(decision.edited_action.args), REASON_COLUMNS)}`
    case 'reject':
      return decision.message ? `rejected (${shorten(decision.message, REASON_COLUMNS)})` : 'rejected'
    case 'respond':
      return `answered (${shorten(decision.message, REASON_COLUMNS)})`
  }
}
