import type { Ids } from '#kernel'
import { addUsage, type TokenUsage } from '#plugin-api'
import type { Source } from '../documents.ts'
import { fileUrl } from '../file-url.ts'
import type { TurnLog } from '../ledger/ledger.ts'
import { type LedgerEvent, usageIn } from '../ledger/ledger-event.ts'
import { projectTurn } from '../ledger/projection.ts'
import { bounded, storable, wellFormed } from '../storable.ts'
import type { ModelListener } from './model-answer.ts'
import { argumentsOf } from './model-context.ts'
import type { RecordedStep } from './recorded-loop.ts'

/** How much text one event holds at the most, in characters. */
const PIECE = 65_536

type SpokenCall = Parameters<ModelListener['onToolCall']>[0]

/** What a tool call came to. */
interface ToolOutcome {
  tool_call_id: string
  name: string
  output: string
  is_error: boolean
  sources?: Source[]
  /** How long it took, in milliseconds. */
  ms?: number
}

/** What a model call took, and what of its answer is to be kept besides what readers are told. */
interface SpentCall {
  call_id: string
  usage: TokenUsage
  answer?: string
  first_token_ms: number | null
  ms: number
}

/** A file that a tool call made. */
interface MadeFile {
  tool_call_id: string
  path: string
  media_type: string
}

/** What a step is part of: a message, and the call that delegated it where one did. */
interface Place {
  message_id: string
  parent_tool_call_id?: string
}

/** Takes down what happens in one loop of a model and its tools. */
export interface LoopWriter extends ModelListener {
  /** A model call begins; what it says is a message of its own. */
  beginMessage(): void
  /** A step that was written before is gone through once more; what follows belongs to it. */
  resume(step: RecordedStep): void
  onUsage(spent: SpentCall): void
  onToolResult(result: ToolOutcome): void
  onAttachment(file: MadeFile): void
  onToolProgress(progress: { tool_call_id: string; content: string }): void
}

/** Turns what happens in a turn into events of its log. */
export interface TurnWriter extends LoopWriter {
  /** The writer of what a tool call delegates: its steps are told to readers, its words only to the call. */
  delegate(tool_call_id: string): LoopWriter
  /** A model has summed up what is too long to be told to it. */
  onSummary(spent: Omit<SpentCall, 'answer'>): void
  /** Writes text that was held back because half a character was missing. */
  flush(): void
  /** The last reply that has begun to be written, or else the one that a model was called for. */
  readonly message_id: string | null
  readonly usage: TokenUsage
}

/** Makes the writer of one turn. */
export function createTurnWriter({
  log,
  ids,
  model,
  agent_id,
  before = [],
}: {
  log: TurnLog
  ids: Ids
  /** The agent in whose workspace files are made. */
  agent_id: string
  model: () => string
  /** What was written of the turn before it paused. */
  before?: readonly LedgerEvent[]
}): TurnWriter {
  const usage = usageIn(before)
  const results = new Map<string, string>()
  const held = { content: '', reasoning: '' }
  let begun: string | null = null
  let written = projectTurn(before).findLast(({ role }) => role === 'assistant')?._id ?? null

  /** The message that what the model says belongs to. */
  const reply = () => {
    written = begun
    return begun!
  }
  const writeText = (type: 'content' | 'reasoning', text: string) => {
    for (const piece of piecesOf(text)) log.write(type, { message_id: reply(), content: wellFormed(piece) })
  }
  const say = (type: 'content' | 'reasoning', text: string) => {
    const whole = held[type] + text
    const cut = endsInHalfPair(whole) ? whole.length - 1 : whole.length
    held[type] = whole.slice(cut)
    writeText(type, whole.slice(0, cut))
  }
  const flush = () => {
    for (const type of ['reasoning', 'content'] as const) {
      writeText(type, held[type])
      held[type] = ''
    }
  }
  const resultMessage = (tool_call_id: string) => {
    const id = results.get(tool_call_id) ?? ids.make('msg_')
    results.set(tool_call_id, id)
    return id
  }

  const recordCall = ({ id, name, input }: SpokenCall, place: Place) =>
    log.write('tool_call', {
      ...place,
      tool_call_id: wellFormed(id),
      name: wellFormed(name),
      input: bounded(storable(argumentsOf(input))),
    })
  const recordResult = ({ tool_call_id, name, output, is_error, sources, ms }: ToolOutcome, place: Place) =>
    log.write(
      'tool_result',
      {
        ...place,
        tool_call_id: wellFormed(tool_call_id),
        name: wellFormed(name),
        output: wellFormed(output),
        is_error,
        ...(sources?.length ? { sources: storable(sources) as Source[] } : {}),
      },
      { ms },
    )
  const recordFile = ({ path: given, media_type }: MadeFile, place: Place) => {
    const path = wellFormed(given)
    const url = fileUrl(agent_id, path)
    const filename = path.split('/').at(-1)!
    const [family] = media_type.split('/')
    const kind = family === 'image' || family === 'video' || family === 'audio' ? family : 'file'
    log.write('attachment', { ...place, kind, path, filename, media_type, url })
  }
  const recordProgress = (
    { tool_call_id, content }: { tool_call_id: string; content: string },
    place: { parent_tool_call_id?: string },
  ) => {
    for (const piece of piecesOf(content))
      log.write('tool_progress', {
        ...place,
        tool_call_id: wellFormed(tool_call_id),
        content: wellFormed(piece),
      })
  }
  const recordUsage = (
    { call_id, usage: spent, ...record }: SpentCall,
    place: Place | { purpose: 'summary' },
  ) => {
    Object.assign(usage, addUsage(usage, spent))
    log.write('usage', { ...place, call_id, usage: spent, model: model() }, record)
  }

  /** The steps of a delegation are numbered, as those of several answers may have the same ids. */
  const delegate = (tool_call_id: string): LoopWriter => {
    const place = { message_id: resultMessage(tool_call_id), parent_tool_call_id: wellFormed(tool_call_id) }
    let step = 0
    const idOf = (id: string) => `${tool_call_id}/${step}/${id}`
    return {
      beginMessage: () => void step++,
      resume: () => void step++,
      onText: () => undefined,
      onReasoning: () => undefined,
      onToolCall: (call) => recordCall({ ...call, id: idOf(call.id) }, place),
      onToolResult: (result) => recordResult({ ...result, tool_call_id: idOf(result.tool_call_id) }, place),
      onAttachment: (file) => recordFile(file, place),
      onToolProgress: ({ tool_call_id: id, content }) =>
        recordProgress(
          { tool_call_id: idOf(id), content },
          { parent_tool_call_id: place.parent_tool_call_id },
        ),
      onUsage: (spent) => recordUsage(spent, place),
    }
  }

  return {
    beginMessage() {
      begun = ids.make('msg_')
      // Some upstreams number the calls of each answer anew.
      results.clear()
    },
    resume(step) {
      begun = step.message_id
      written = begun
      results.clear()
      for (const [tool_call_id, message_id] of step.result_ids) results.set(tool_call_id, message_id)
    },
    onText: (text) => say('content', text),
    onReasoning: (text) => say('reasoning', text),
    onToolCall(call) {
      flush()
      recordCall(call, { message_id: reply() })
    },
    onToolResult: (result) => recordResult(result, { message_id: resultMessage(result.tool_call_id) }),
    onAttachment: (file) => recordFile(file, { message_id: resultMessage(file.tool_call_id) }),
    onToolProgress: (progress) => recordProgress(progress, {}),
    onUsage(spent) {
      flush()
      recordUsage(spent, { message_id: reply() })
    },
    onSummary: ({ call_id, usage: spent, first_token_ms, ms }) =>
      recordUsage({ call_id, usage: spent, first_token_ms, ms }, { purpose: 'summary' }),
    delegate,
    flush,
    get message_id() {
      return written ?? begun
    },
    usage,
  }
}

const endsInHalfPair = (text: string) => {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}

/** A text in pieces of bounded length, no character cut in half. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const piece = text.slice(start, start + PIECE)
    const end = start + piece.length
    const whole = end < text.length && endsInHalfPair(piece) ? piece.slice(0, -1) : piece
    yield whole
    start += whole.length
  }
}
