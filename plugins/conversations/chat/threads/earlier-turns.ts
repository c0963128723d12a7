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
  steps: EarlierStep[]
}

/** One answer of a model: its text, its calls, and the results of these. */
export interface EarlierStep {
  text: string
  calls: { id: string; name: string; input: unknown }[]
  results: { id: string; name: string; output: string }[]
}

/** An event of a step, with what is stored besides its frame. */
export type StepEvent = {
  [Type in FrameType]: { type: Type; frame: FrameFields[Type]; record?: EventRecord }
}[FrameType]

/** Returns the events of one step of a turn. */
export function toStepEvents({ text, calls, results }: EarlierStep, ids: Ids): StepEvent[] {
  const message_id = ids.make('msg_')
  return [
    ...(text === '' ? [] : [{ type: 'content' as const, frame: { message_id, content: text } }]),
    ...calls.map(({ id, name, input }) => ({
      type: 'tool_call' as const,
      frame: { message_id, tool_call_id: id, name, input },
    })),
    // A recorded turn is divided into its model calls by their usage.
    ...(calls.length === 0
      ? []
      : [
          {
            type: 'usage' as const,
            frame: { message_id, usage: NO_USAGE, model: UNKNOWN_MODEL },
            record: { answer: JSON.stringify(toAnswer(text, calls)) },
          },
        ]),
    ...results.map(({ id, name, output }) => ({
      type: 'tool_result' as const,
      frame: { message_id: ids.make('msg_'), tool_call_id: id, name, output, is_error: false },
    })),
  ]
}

/** Returns the events of a ledger that begins with these turns. `ts` is Unix milliseconds. */
export function toEvents(turns: readonly EarlierTurn[], { ids, ts }: { ids: Ids; ts: number }): ReadEvent[] {
  const events: ReadEvent[] = []
  for (const { steps, ...message } of turns) {
    const turn_id = ids.make('trn_')
    const add = <Type extends FrameType>(type: Type, frame: FrameFields[Type], record: object = {}) =>
      events.push({ seq: events.length + 1, turn_id, ts, type, frame, ...record } as ReadEvent)
    let message_id: string | null = null
    add('turn_started', { message_id: ids.make('msg_') }, message)
    for (const step of steps)
      for (const { type, frame, record } of toStepEvents(step, ids)) {
        if (type !== 'tool_result') message_id = (frame as FrameFields['content']).message_id
        add(type, frame, record)
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
