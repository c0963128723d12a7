import type { ReadEvent } from '../chat/ledger/ledger-reader.ts'

const MAX_SUMMARY_CHARS = 200

/** Returns the name of an event within its thread. */
const toEventId = ({ seq }: Pick<ReadEvent, 'seq'>): string => `evt_${seq}`

/** Returns the seq that an event's name contains; undefined if the name is malformed. */
export const parseEventId = (event_id: string): number | undefined => {
  const digits = /^evt_([1-9]\d{0,11})$/.exec(event_id)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Converts an event to a row of the list. */
export const toRow = (event: ReadEvent) => ({
  event_id: toEventId(event),
  seq: event.seq,
  turn_id: event.turn_id,
  type: event.type,
  ts: Math.floor(event.ts / 1000),
  summary: oneLine(summarize(event)),
  ...(event.ms === undefined ? {} : { duration_ms: event.ms }),
  ...toCallIds(event),
})

/** Returns the call that a tool call or its result is of, and the call that delegated it. */
function toCallIds({ type, frame }: ReadEvent) {
  if (type !== 'tool_call' && type !== 'tool_result') return {}
  const { tool_call_id, parent_tool_call_id } = frame
  return { tool_call_id, ...(parent_tool_call_id !== undefined && { parent_tool_call_id }) }
}

/** Converts an event to its full form. */
export const toWholeEvent = ({ seq, turn_id, type, ts, frame, answer, ...record }: ReadEvent) => ({
  event_id: toEventId({ seq }),
  seq,
  turn_id,
  type,
  ts: Math.floor(ts / 1000),
  frame: { ...frame },
  ...record,
  ...(answer === undefined ? {} : { answer: JSON.parse(answer) as unknown }),
})

function summarize(event: ReadEvent): string {
  switch (event.type) {
    case 'turn_started':
      return (event.input ?? []).map((block) => ('text' in block ? block.text : `[${block.type}]`)).join(' ')
    case 'content':
    case 'reasoning':
    case 'tool_progress':
      return event.frame.content
    case 'tool_call':
      return `${event.frame.name} ${JSON.stringify(event.frame.input)}`
    case 'tool_result': {
      const { name, output, is_error } = event.frame
      return is_error ? `${name} failed: ${output}` : `${name}: ${output}`
    }
    case 'attachment':
      return event.frame.path
    case 'usage': {
      const { usage, model } = event.frame
      return `${usage.input_tokens} tokens in, ${usage.output_tokens} out, ${model}`
    }
    case 'notice':
      return `${event.frame.code}: ${event.frame.message}`
    case 'hitl_required':
      return `waits for a decision: ${event.frame.action_requests.map(({ name }) => name).join(', ')}`
    case 'hitl_resolved':
      return `${event.frame.outcome}: ${event.frame.decisions.map(({ type }) => type).join(', ')}`
    case 'path_changed':
      return event.frame.message_id
    case 'done':
      return event.frame.stop_reason
    case 'error':
      return `${event.frame.code}: ${event.frame.message}`
  }
}

function oneLine(text: string): string {
  const start = text.trimStart().slice(0, 4 * MAX_SUMMARY_CHARS)
  const line = start.replace(/\s+/g, ' ').trimEnd()
  const characters = [...line]
  return characters.length > MAX_SUMMARY_CHARS
    ? `${characters.slice(0, MAX_SUMMARY_CHARS - 1).join('')}…`
    : line
}
