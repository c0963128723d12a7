import type { ApprovalRequest, ApprovalResolution, Decision } from './frames.ts'
import { reveal, shorten, toVisibleJSON, wrap } from './printable.ts'

const INDENT = '  '
/** Begins each line of a text, so that the text cannot imitate other parts of the request. */
const BAR = `${INDENT}│ `
/** Begins each further row of a line that was wrapped. */
const REST = `${INDENT}┆ `
const MIN_COLUMNS = 16
const NAME_COLUMNS = 64
const REASON_COLUMNS = 60

/** True if a request asks for an answer in words rather than an approval. */
export const isQuestion = ({ review_configs }: ApprovalRequest, index: number) =>
  review_configs[index]!.allowed_decisions.includes('respond')

/** Returns the name of the tool that a request is about, on one line. */
export const shortenName = ({ action_requests }: ApprovalRequest, index: number) =>
  shorten(action_requests[index]!.name, NAME_COLUMNS)

/** Returns the heading of a request: its number and the tool to be called. */
export function describeHeading(request: ApprovalRequest, index: number): string {
  const { length } = request.action_requests
  const position = length > 1 ? `${index + 1} of ${length} · ` : ''
  const { parent_tool_call_id, agent } = request.action_requests[index]!
  const asker = agent === undefined ? 'a subagent' : shorten(agent, NAME_COLUMNS)
  const within = parent_tool_call_id === undefined ? '' : `, by ${asker}`
  return `${isQuestion(request, index) ? '?' : '⚠'} ${position}${shortenName(request, index)}${within}`
}

/** Lays out the text of a request and the arguments of its call, every character visible, in rows of that many columns. */
export function describeRequest(request: ApprovalRequest, index: number, columns: number): string[] {
  const { description, args, args_url } = request.action_requests[index]!
  const words = layOut(description, columns, INDENT, INDENT)
  if (isQuestion(request, index)) return words
  const hint = `The arguments are shortened. Read them in full at ${args_url}`
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
      wrap(line, Math.max(columns - REST.length, MIN_COLUMNS)).map(
        (row, index) => (index === 0 ? first : further) + row,
      ),
    )

/** Describes, on one line, the end of a pause that was not ended here. */
export function describeResolution(
  request: ApprovalRequest,
  { outcome, decisions }: ApprovalResolution,
): string {
  if (outcome === 'expired') return 'Rejected automatically: nobody decided in time.'
  if (outcome === 'stopped') return 'The turn was stopped by another client.'
  const parts = decisions.map(
    (decision, index) => `${shortenName(request, index)} ${describeDecision(decision)}`,
  )
  return `Decided by another client: ${parts.join(', ')}.`
}

/** Describes a decision in a few words. */
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
