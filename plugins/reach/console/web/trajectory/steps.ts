import type { components } from '#client'

/** Something that happened in a turn, as lists of the API have it. */
export type Event = components['schemas']['TrajectoryEvent']

/** Events that belong together: text arrives in many, all others are one by themselves. */
export interface Step {
  key: string
  type: Event['type']
  ts: number
  text: string
  duration_ms: number | undefined
  /** The event to open for more. */
  event: Event
}

/** A turn with its steps. */
export interface Turn {
  turn_id: string
  steps: Step[]
}

const isText = (type: Event['type']) => type === 'content' || type === 'reasoning'

/** Groups events by turn, and pieces of text to one step. */
export function groupEvents(events: Event[]): Turn[] {
  const turns: Turn[] = []
  for (const event of events) {
    let turn = turns.at(-1)
    if (turn?.turn_id !== event.turn_id) {
      turn = { turn_id: event.turn_id, steps: [] }
      turns.push(turn)
    }
    const last = turn.steps.at(-1)
    if (last && last.type === event.type && isText(event.type)) {
      last.text += ` ${event.summary}`
      last.event = event
    } else {
      const { type, ts, summary: text, duration_ms } = event
      turn.steps.push({ key: event.event_id, type, ts, text, duration_ms, event })
    }
  }
  return turns
}

/** Merges events in their order, each once. */
export function mergeEvents(known: Event[], added: Event[]): Event[] {
  const bySeq = new Map([...known, ...added].map((event) => [event.seq, event]))
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq)
}
