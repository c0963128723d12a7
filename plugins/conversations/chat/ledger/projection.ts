import { addUsage } from '#plugin-api'
import type { Block, Branch, MessageDocument, Source, TurnError } from '../documents.ts'
import { toThoughts } from '../loop/thoughts.ts'
import {
  type ActionRequest,
  type FrameFields,
  isTerminal,
  type LedgerEvent,
  type PendingApproval,
  type ResolvedApproval,
  seqOf,
  threadOf,
} from './ledger-event.ts'

type ToolUse = Extract<Block, { type: 'tool_use' }>

/**
 * Projects the events of one turn to its messages. Messages are made nowhere else, so that history, recovery and a
 * later rebuild agree. The messages of an unfinished turn are streaming.
 */
export function projectTurn(events: readonly LedgerEvent[]): MessageDocument[] {
  const messages: MessageDocument[] = []
  const byId = new Map<string, MessageDocument>()
  const calls = new Map<string, ToolUse>()
  const approvals = new Map<string, PendingApproval>()
  const cited = new Map<MessageDocument, Map<string, Source>>()

  const open = (event: LedgerEvent, id: string, role: MessageDocument['role']): MessageDocument => {
    const existing = byId.get(id)
    if (existing) return existing
    const message: MessageDocument = {
      _id: id,
      thread_id: threadOf(event),
      position: seqOf(event),
      role,
      content: [],
      timestamp: event.ts,
      turn_id: event.turn_id,
      status: role === 'user' ? 'complete' : 'streaming',
    }
    byId.set(id, message)
    messages.push(message)
    return message
  }

  /** Keeps each source once, as it was named last. */
  const cite = (message: MessageDocument, sources: readonly Source[]) => {
    const sourcesById = cited.get(message) ?? new Map<string, Source>()
    cited.set(message, sourcesById)
    for (const source of sources) sourcesById.set(source.id, source)
  }

  for (const event of events) {
    switch (event.type) {
      case 'turn_started':
        // A new answer belongs to a message of another turn.
        if (event.frame.message_id === event.frame.after_message_id) break
        Object.assign(open(event, event.frame.message_id, 'user'), {
          content: event.input ?? [],
          ...(event.documents && { documents: event.documents }),
          ...(event.is_copied && { is_copied: true }),
        })
        break
      case 'content':
        appendText(open(event, event.frame.message_id, 'assistant').content, event.frame.content)
        break
      case 'reasoning':
        appendThinking(open(event, event.frame.message_id, 'assistant').content, event.frame.content)
        break
      case 'tool_call': {
        if (event.frame.parent_tool_call_id !== undefined) break
        const { message_id, tool_call_id, name, input, by_provider } = event.frame
        const call: ToolUse = {
          type: 'tool_use',
          id: tool_call_id,
          name,
          input,
          ...(by_provider && { by_provider }),
        }
        calls.set(tool_call_id, call)
        open(event, message_id, 'assistant').content.push(call)
        break
      }
      case 'tool_result': {
        const { message_id, tool_call_id: id, name, output, is_error, parent_tool_call_id } = event.frame
        const { sources } = event.frame
        if (parent_tool_call_id !== undefined && !sources) break
        const message = open(event, message_id, 'tool')
        if (sources) cite(message, sources)
        if (parent_tool_call_id !== undefined) break
        message.content.push({ type: 'tool_result', id, name, output, is_error })
        message.status = 'complete'
        break
      }
      case 'hitl_required':
        approvals.set(event.frame.pending_id, event.frame)
        break
      case 'hitl_resolved':
        showEdits(calls, approvals.get(event.frame.pending_id)?.action_requests, event.frame)
        break
      case 'notice': {
        const { message_id, ...notice } = event.frame
        const message = open(event, message_id, 'assistant')
        message.notices ??= []
        message.notices.push(notice)
        break
      }
      case 'attachment': {
        const { message_id, path, filename, media_type } = event.frame
        const message = open(event, message_id, 'tool')
        message.artifacts ??= []
        message.artifacts.push({ path, filename, media_type })
        break
      }
      case 'usage': {
        const { message_id, usage, model, parent_tool_call_id } = event.frame
        if (message_id === undefined) break
        const message = open(event, message_id, parent_tool_call_id === undefined ? 'assistant' : 'tool')
        message.usage = message.usage ? addUsage(message.usage, usage) : usage
        message.model = model
        if (event.answer === undefined || parent_tool_call_id !== undefined) break
        const thoughts = toThoughts(JSON.parse(event.answer))
        if (thoughts !== undefined) message.thoughts = thoughts
        break
      }
    }
  }
  for (const [message, sources] of cited) message.sources = [...sources.values()]
  const last = events.at(-1)
  if (last && isTerminal(last)) closeMessages(messages, last, open)
  const branch = readBranch(events[0])
  if (branch && messages[0]) messages[0].branch = branch
  if (!last || !isTerminal(last)) return messages
  // The message of a stopped delegation may be empty, because only its usage was written.
  return messages.filter(
    ({ role, content, artifacts, sources }) => role !== 'tool' || content.length > 0 || artifacts || sources,
  )
}

/** Returns the beginning of a version whose turn starts with this event. */
export const readBranch = (event: LedgerEvent | undefined): Branch | undefined =>
  event?.type === 'turn_started' && event.after !== undefined
    ? { first: seqOf(event), after: event.after }
    : undefined

/** Replaces the arguments of a call by those that a person changed and that were run. */
function showEdits(
  calls: ReadonlyMap<string, ToolUse>,
  requests: readonly ActionRequest[] = [],
  { decisions }: ResolvedApproval,
): void {
  for (const [index, decision] of decisions.entries()) {
    const call = decision.type === 'edit' && calls.get(requests[index]?.id ?? '')
    if (call) call.input = decision.edited_action.args
  }
}

type Open = (event: LedgerEvent, id: string, role: MessageDocument['role']) => MessageDocument

/** Shows the end of the turn on its last reply; a turn that failed before any text has an empty reply. */
function closeMessages(messages: MessageDocument[], last: LedgerEvent, open: Open): void {
  for (const message of messages) if (message.status === 'streaming') message.status = 'complete'
  const status =
    last.type === 'error'
      ? 'failed'
      : last.type === 'done' && last.frame.stop_reason === 'stopped'
        ? 'stopped'
        : undefined
  const { message_id } = last.frame as { message_id?: string | null }
  const written = messages.findLast(({ role }) => role === 'assistant')
  const reply = written ?? (status && open(last, message_id ?? `msg_${last._id}`, 'assistant'))
  if (!reply) return
  if (status) reply.status = status
  if (last.type === 'done') reply.stop_reason = last.frame.stop_reason
  if (last.type === 'error') reply.error = toTurnError(last.frame)
}

/** The most characters of a value in an error's message; longer values are left out. */
const MAX_DETAIL_CHARACTERS = 500

function toTurnError({ code, message, details }: FrameFields['error']): TurnError {
  const isPart = ([name, value]: [string, unknown]) =>
    /^\w+$/.test(name) &&
    (typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_DETAIL_CHARACTERS))
  return {
    code,
    message,
    details: Object.fromEntries(Object.entries(details).filter(isPart)) as TurnError['details'],
  }
}

function appendText(content: Block[], text: string): void {
  const last = content.at(-1)
  if (last?.type === 'text') last.text += text
  else content.push({ type: 'text', text })
}

function appendThinking(content: Block[], thinking: string): void {
  const last = content.at(-1)
  if (last?.type === 'thinking') last.thinking += thinking
  else content.push({ type: 'thinking', thinking })
}
