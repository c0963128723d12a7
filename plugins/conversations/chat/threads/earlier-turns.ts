import type { LanguageModelV3Content } from '@ai-sdk/provider'
import { type Ids, NO_USAGE } from '#plugin-api'
import type { AttachedDocument } from '../attached-documents.ts'
import type { Block } from '../documents.ts'
import { type EventRecord, type FrameFields, type FrameType, UNKNOWN_MODEL } from '../ledger/ledger-event.ts'
import type { ReadEvent } from '../ledger/ledger-reader.ts'

/** An earlier exchange of a conversation as a client describes it: a user's message, and the steps that followed. */
export interface EarlierTurn {
  input: Block[]
  documents?: AttachedDocument[]
  /** True if the message may be somebody else's. */
  is_copied?: true
  /** The time of the message in Unix milliseconds; the time of the call without it. */
  ts?: number
  steps: EarlierStep[]
}

/** One answer of a model: its text, its calls, and the results of these. */
export interface EarlierStep {
  text: string
  calls: { id: string; name: string; input: unknown }[]
  results: { id: string; name: string; output: string }[]
  /** The time of the answer in Unix milliseconds; the time of the message without it. */
  ts?: number
  /** The model that wrote the answer. */
  model?: string
}

/** The place of turns in the ledger that they are written to. */
interface TurnPlacement {
  ids: Ids
  /** The time of turns that have none, in Unix milliseconds. */
  ts: number
  /** The seq of the first event; 1 without it. */
  first_seq?: number
  /** The id of the first turn; a new one without it. */
  turn_id?: string
  /** The message before the first turn. */
  after_message_id?: string
  /** The position that the first turn continues from, unless that is the event before it. */
  after?: number
}

/** An event of a step, with what is stored besides its frame. */
export type StepEvent = {
  [Type in FrameType]: { type: Type; frame: FrameFields[Type]; record?: EventRecord }
}[FrameType]

/** Returns the events of one step of a turn. */
export function toStepEvents({ text, calls, results, model }: EarlierStep, ids: Ids): StepEvent[] {
  const message_id = ids.make('msg_')
  return [
    ...(text === '' ? [] : [{ type: 'content' as const, frame: { message_id, content: text } }]),
    ...calls.map(({ id, name, input }) => ({
      type: 'tool_call' as const,
      frame: { message_id, tool_call_id: id, name, input },
    })),
    // A recorded turn is divided into its model calls by their usage.
    ...(calls.length === 0 && model === undefined
      ? []
      : [
          {
            type: 'usage' as const,
            frame: { message_id, usage: NO_USAGE, model: model ?? UNKNOWN_MODEL },
            ...(calls.length > 0 && { record: { answer: JSON.stringify(toAnswer(text, calls)) } }),
          },
        ]),
    ...results.map(({ id, name, output }) => ({
      type: 'tool_result' as const,
      frame: { message_id: ids.make('msg_'), tool_call_id: id, name, output, is_error: false },
    })),
  ]
}

/** Returns the events of these turns, as the beginning of a ledger or at another place. */
export function toEvents(
  turns: readonly EarlierTurn[],
  { ids, ts, first_seq = 1, after_message_id, after, turn_id: first_id }: TurnPlacement,
): ReadEvent[] {
  const events: ReadEvent[] = []
  for (const [index, { steps, ts: asked_at = ts, ...message }] of turns.entries()) {
    const isFirst = index === 0
    const turn_id = (isFirst && first_id) || ids.make('trn_')
    let now = asked_at
    const add = <Type extends FrameType>(type: Type, frame: FrameFields[Type], record: object = {}) =>
      events.push({ seq: first_seq + events.length, turn_id, ts: now, type, frame, ...record } as ReadEvent)
    let message_id: string | null = null
    add(
      'turn_started',
      {
        message_id: ids.make('msg_'),
        ...(isFirst && after_message_id !== undefined && { after_message_id }),
      },
      { ...message, ...(isFirst && after !== undefined && { after }) },
    )
    for (const step of steps) {
      now = Math.max(now, step.ts ?? now)
      for (const { type, frame, record } of toStepEvents(step, ids)) {
        if (type !== 'tool_result') message_id = (frame as FrameFields['content']).message_id
        add(type, frame, record)
      }
    }
    add('done', { message_id, usage: NO_USAGE, stop_reason: 'end' })
  }
  return events
}

const toAnswer = (text: string, calls: EarlierStep['calls']): LanguageModelV3Content[] => [
  ...(text === '' ? [] : [{ type: 'text' as const, text }]),
  ...calls.map(({ id, name, input }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: name,
    input: JSON.stringify(input),
  })),
]
