import type { ReadEvent } from '../chat/ledger/ledger-reader.ts'

/** How long a summary is at the most, in characters. */
const LENGTH = 200

/** The name of an event within its thread. */
export const eventIdOf = ({ seq }: Pick<ReadEvent, 'seq'>): string => `evt_${seq}`

/** The seq that such a name stands for; undefined where it is none. */
export const seqOfId = (event_id: string): number | undefined => {
  const digits = /^evt_([1-9]\d{0,11})$/.exec(event_id)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** An event as a list shows it. */
export const rowOf = (event: ReadEvent) => ({
  event_id: eventIdOf(event),
  seq: event.seq,
  turn_id: event.turn_id,
  type: event.type,
  ts: Math.floor(event.ts / 1000),
  summary: oneLine(summaryOf(event)),
  ...(event.ms === undefined ? {} : { duration_ms: event.ms }),
})

/** An event with all that is kept of it. */
export const wholeOf = ({ seq, turn_id, type, ts, frame, answer, ...record }: ReadEvent) => ({
  event_id: eventIdOf({ seq }),
  seq,
  turn_id,
  type,
  ts: Math.floor(ts / 1000),
  frame: { ...frame },
  ...record,
  ...(answer === undefined ? {} : { answer: JSON.parse(answer) as unknown }),
})

function summaryOf(event: ReadEvent): string {
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
    case 'hitl_required':
      return `waits for a decision: ${event.frame.action_requests.map(({ name }) => name).join(', ')}`
    case 'hitl_resolved':
      return `${event.frame.outcome}: ${event.frame.decisions.map(({ type }) => type).join(', ')}`
    case 'done':
      return event.frame.stop_reason
    case 'error':
      return `${event.frame.code}: ${event.frame.message}`
  }
}

function oneLine(text: string): string {
  const start = text.trimStart().slice(0, 4 * LENGTH)
  const line = start.replace(/\s+/g, ' ').trimEnd()
  const characters = [...line]
  return characters.length > LENGTH ? `${characters.slice(0, LENGTH - 1).join('')}…` : line
}
