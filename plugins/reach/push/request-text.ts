import { cutText, type LocalizedText } from '#plugin-api'
import type {
  ActionRequest,
  DecisionType,
  PendingApproval,
} from '../../conversations/chat/ledger/ledger-event.ts'
import { say } from './phrases.ts'

/** The most characters of a notification's text. */
const MAX_TEXT = 200
/** Characters that are invisible or change the order of others: a person cannot see what they would approve. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/u

/** The requests of an approval as a notification shows them. */
export interface RequestText {
  title: string
  body: string
  /** The decisions that can be made without opening the conversation. */
  decisions: ('approve' | 'deny')[]
}

interface Words {
  /** The name of the agent. */
  agent: string
  locale: 'en' | 'zh'
  labelOf(tool: string): LocalizedText | undefined
}

/**
 * Describes the requests that a turn waits for. They can be approved only if the text shows the whole of one request,
 * so that nobody approves what they have not seen.
 */
export function describeRequests(
  { action_requests, review_configs }: Pick<PendingApproval, 'action_requests' | 'review_configs'>,
  { agent, locale, labelOf }: Words,
): RequestText {
  const allow = (type: DecisionType) =>
    review_configs.every(({ allowed_decisions }) => allowed_decisions.includes(type))
  const [first] = action_requests
  const toText = (request: ActionRequest) => {
    const label = labelOf(request.name)?.[locale] ?? request.name
    const shown = request.is_step ? toLine(request.description) : label
    const args = describeArguments(request.args)
    return args === '' ? shown : `${shown}: ${args}`
  }
  if (action_requests.some(({ authorization_required }) => authorization_required))
    return { title: say('sign_in', locale, { agent }), body: shorten(first!.description), decisions: [] }
  if (!allow('approve'))
    return { title: say('question', locale, { agent }), body: shorten(first!.description), decisions: [] }
  const names = [...new Set(action_requests.map(({ name }) => labelOf(name)?.[locale] ?? name))]
  const text =
    action_requests.length === 1
      ? toText(first!)
      : say('requests', locale, {
          count: action_requests.length,
          names: names.join(say('list_separator', locale)),
        })
  const isWhole =
    action_requests.length === 1 &&
    first!.args_url === undefined &&
    text.length <= MAX_TEXT &&
    !HIDDEN.test(JSON.stringify(first!.args) + text)
  return {
    title: say('approval', locale, { agent }),
    body: shorten(text),
    decisions: [...(isWhole ? (['approve'] as const) : []), ...(allow('reject') ? (['deny'] as const) : [])],
  }
}

/** Writes arguments on one line: a single text as it is, others with their names. */
function describeArguments(args: Record<string, unknown>): string {
  const values = Object.entries(args).map(([name, value]) => ({
    name,
    text: typeof value === 'string' ? value : JSON.stringify(value),
  }))
  const parts = values.length === 1 ? [values[0]!.text] : values.map(({ name, text }) => `${name}: ${text}`)
  return toLine(parts.join(', '))
}

const toLine = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Returns a text on one line that fits a notification. */
export function shorten(text: string): string {
  const line = toLine(text).toWellFormed()
  return line.length > MAX_TEXT ? `${cutText(line, MAX_TEXT - 1)}…` : line
}
