import { addUsage, type Ids, type Locale, type TokenUsage } from '#plugin-api'
import type { Source } from '../documents.ts'
import { type EventRecord, type LedgerEvent, sumUsage } from '../ledger/ledger-event.ts'
import { projectTurn } from '../ledger/projection.ts'
import type { EventLog } from '../ledger/turn-log.ts'
import { describeNotice, type NoticeCode } from '../notices.ts'
import { fileUrl } from '../rows.ts'
import { boundJson, sanitizeForStorage } from '../sanitize.ts'
import { parseArguments } from './call-arguments.ts'
import type { ModelListener } from './model-answer.ts'
import type { RecordedStep } from './recorded-loop.ts'

/** The most characters of text in one event. */
const PIECE = 65_536

type TextType = 'content' | 'reasoning'

type SpokenCall = Parameters<ModelListener['onToolCall']>[0]

/** The outcome of a tool call. */
export interface ToolOutcome {
  tool_call_id: string
  name: string
  output: string
  is_error: boolean
  sources?: Source[]
  /** The duration in milliseconds. */
  ms?: number
}

/** The usage of a model call, and the part of its answer that is stored besides the frames. */
interface SpentCall {
  call_id: string
  usage: TokenUsage
  /** The reference of the model that answered. */
  model: string
  answer?: string
  finish_reason?: EventRecord['finish_reason']
  first_token_ms: number | null
  ms: number
}

/** A file that a tool call made. */
interface MadeFile {
  tool_call_id: string
  path: string
  media_type: string
  for_model?: true
}

/** A notice about an answer; `details` are the values in its text. */
export interface TurnNotice {
  code: NoticeCode
  details: Record<string, string | number>
}

/** A notice with a text of its own, in the language of the turn. */
export interface WrittenNotice {
  code: string
  message: string
  details: Record<string, string | number>
}

/** The place of a step: its message, and the call that delegated it, if any. */
interface Place {
  message_id: string
  parent_tool_call_id?: string
}

/** Records what happens in one loop of a model and its tools. */
export interface LoopWriter extends ModelListener {
  /** Starts a model call; its text becomes a message of its own. */
  beginMessage(): void
  /** Continues a recorded step: what follows belongs to it. */
  resume(step: RecordedStep): void
  onUsage(spent: SpentCall): void
  onToolResult(result: ToolOutcome): void
  /** Records a file that the model itself has made, such as a picture. */
  onDrawnFile(file: Omit<MadeFile, 'tool_call_id'>): void
  onNotice(notice: TurnNotice | WrittenNotice): void
  onAttachment(file: MadeFile): void
  onToolProgress(progress: { tool_call_id: string; content: string }): void
  /** Creates the writer of a delegated task: readers see its steps, but only the delegating call receives its text. */
  delegate(tool_call_id: string): LoopWriter
}

/** Writes what happens in a turn as events of its log. */
export interface TurnWriter extends LoopWriter {
  /** Records the call that summarized older messages. */
  onSummary(spent: Omit<SpentCall, 'answer'>): void
  /** Writes text that was held back because half a character was missing. */
  flush(): void
  /** The id of the last reply with any text, or else that of the current model call. */
  readonly message_id: string | null
  readonly usage: TokenUsage
  /** The sources of all results, each once. */
  readonly sources: Source[]
  /** Returns the number of a source, which it keeps for the whole turn. */
  numberOf(source_id: string): number
}

/** Creates the writer of one turn. */
export function createTurnWriter({
  log,
  ids,
  agent_id,
  locale,
  earlierEvents = [],
  onTool = () => undefined,
}: {
  log: EventLog
  ids: Ids
  /** The agent in whose workspace files are made. */
  agent_id: string
  /** The language of notices. */
  locale: Locale
  /** The events of the turn before it paused. */
  earlierEvents?: readonly LedgerEvent[]
  /** Called with the outcome of each call. */
  onTool?: (outcome: ToolOutcome) => void
}): TurnWriter {
  const usage = sumUsage(earlierEvents)
  const sources = new Map<string, Source>()
  const numbers = new Map<string, number>()
  const numberOf = (source_id: string) => {
    const number = numbers.get(source_id) ?? numbers.size + 1
    numbers.set(source_id, number)
    return number
  }
  const noteSources = (named: readonly Source[] = []) => {
    for (const source of named) sources.set(source.id, source)
  }
  for (const event of earlierEvents)
    if (event.type === 'tool_result')
      for (const source of event.frame.sources ?? []) {
        noteSources([source])
        numbers.set(source.id, source.number ?? numbers.size + 1)
      }
  const results = new Map<string, string>()
  /** The first half of a character, whose second half has not arrived, by type of text. */
  const halves = { content: '', reasoning: '' }
  /** Notices from before the first model call, which is what has a message. */
  const early: (TurnNotice | WrittenNotice)[] = []
  let begun: string | null = null
  let written = projectTurn(earlierEvents).findLast(({ role }) => role === 'assistant')?._id ?? null

  /** Returns the message that the model's text belongs to. */
  const reply = () => {
    written = begun
    return begun!
  }
  /** Writes text, except for a half character at its end, which waits for the other half. */
  const writeText = (type: TextType, text: string) => {
    const whole = halves[type] + text
    const end = !whole.isWellFormed() && endsInHalf(whole) ? whole.length - 1 : whole.length
    halves[type] = whole.slice(end)
    if (end === 0) return
    written = begun
    if (end <= PIECE) log.write(type, { message_id: begun!, content: whole.slice(0, end).toWellFormed() })
    else
      for (const piece of piecesOf(whole.slice(0, end)))
        log.write(type, { message_id: begun!, content: piece.toWellFormed() })
  }
  const flush = () => {
    for (const type of ['reasoning', 'content'] as const) {
      const content = halves[type].toWellFormed()
      halves[type] = ''
      if (content !== '') log.write(type, { message_id: reply(), content })
    }
  }
  const resultMessage = (tool_call_id: string) => {
    const id = results.get(tool_call_id) ?? ids.make('msg_')
    results.set(tool_call_id, id)
    return id
  }

  const recordCall = ({ id, name, input, by_provider }: SpokenCall, position: Place) =>
    log.write('tool_call', {
      ...position,
      tool_call_id: id.toWellFormed(),
      name: name.toWellFormed(),
      input: boundJson(sanitizeForStorage(parseArguments(input))),
      ...(by_provider && { by_provider }),
    })
  const recordResult = (outcome: ToolOutcome, position: Place) => {
    const { tool_call_id, name, output, is_error, sources: named, ms } = outcome
    onTool(outcome)
    const cited = named?.length ? (sanitizeForStorage(named) as Source[]) : undefined
    noteSources(cited)
    log.write(
      'tool_result',
      {
        ...position,
        tool_call_id: tool_call_id.toWellFormed(),
        name: name.toWellFormed(),
        output: output.toWellFormed(),
        is_error,
        ...(cited && { sources: cited }),
      },
      { ms },
    )
  }
  const recordFile = (
    { path: madePath, media_type, for_model }: Omit<MadeFile, 'tool_call_id'>,
    place: Place,
  ) => {
    const path = madePath.toWellFormed()
    const url = fileUrl(agent_id, path)
    const filename = path.split('/').at(-1)!
    const [family] = media_type.split('/')
    const kind = family === 'image' || family === 'video' || family === 'audio' ? family : 'file'
    const frame = { ...place, kind, path, filename, media_type, url } as const
    log.write('attachment', frame, for_model && { for_model })
  }
  const recordNotice = (notice: TurnNotice | WrittenNotice) => {
    if (begun === null) {
      early.push(notice)
      return
    }
    const { code, details } = notice
    const message = 'message' in notice ? notice.message : describeNotice(notice.code, locale, details)
    log.write('notice', { message_id: begun, code, message, details: { ...details } })
  }
  const recordProgress = (
    { tool_call_id, content }: { tool_call_id: string; content: string },
    position: { parent_tool_call_id?: string },
  ) => {
    for (const piece of piecesOf(content))
      log.write('tool_progress', {
        ...position,
        tool_call_id: tool_call_id.toWellFormed(),
        content: piece.toWellFormed(),
      })
  }
  const recordUsage = (
    { call_id, usage: spent, model, ...record }: SpentCall,
    place: Place | { purpose: 'summary' },
  ) => {
    Object.assign(usage, addUsage(usage, spent))
    log.write('usage', { ...place, call_id, usage: spent, model }, record)
  }

  /** The steps of a delegated task are numbered, because several answers may contain the same ids. */
  const delegate = (tool_call_id: string, message_id: string): LoopWriter => {
    const position = { message_id, parent_tool_call_id: tool_call_id.toWellFormed() }
    let step = 0
    const idOf = (id: string) => `${tool_call_id}/${step}/${id}`
    return {
      beginMessage: () => void step++,
      resume: () => void step++,
      onText: () => undefined,
      onToolCall: (call) => recordCall({ ...call, id: idOf(call.id) }, position),
      onToolResult: (result) =>
        recordResult({ ...result, tool_call_id: idOf(result.tool_call_id) }, position),
      onAttachment: (file) => recordFile(file, position),
      onToolProgress: ({ tool_call_id: id, content }) =>
        recordProgress(
          { tool_call_id: idOf(id), content },
          { parent_tool_call_id: position.parent_tool_call_id },
        ),
      onDrawnFile: (file) => recordFile(file, position),
      onProviderResult: (result) =>
        recordResult({ ...result, tool_call_id: idOf(result.tool_call_id) }, position),
      onNotice: recordNotice,
      onUsage: (spent) => recordUsage(spent, position),
      delegate: (id) => delegate(idOf(id), message_id),
    }
  }

  return {
    beginMessage() {
      begun = ids.make('msg_')
      // Some upstreams number the calls of each answer anew.
      results.clear()
      for (const notice of early.splice(0)) recordNotice(notice)
    },
    resume(step) {
      begun = step.message_id
      written = begun
      results.clear()
      for (const [tool_call_id, message_id] of step.result_ids) results.set(tool_call_id, message_id)
    },
    onText: writeText,
    onToolCall(call) {
      flush()
      recordCall(call, { message_id: reply() })
    },
    onToolResult: (result) => recordResult(result, { message_id: resultMessage(result.tool_call_id) }),
    onAttachment: (file) => recordFile(file, { message_id: resultMessage(file.tool_call_id) }),
    onDrawnFile: (file) => recordFile(file, { message_id: reply() }),
    onProviderResult(result) {
      flush()
      recordResult(result, { message_id: resultMessage(result.tool_call_id) })
    },
    onNotice: recordNotice,
    onToolProgress: (progress) => recordProgress(progress, {}),
    onUsage(spent) {
      flush()
      recordUsage(spent, { message_id: reply() })
    },
    onSummary: (spent) => recordUsage(spent, { purpose: 'summary' }),
    delegate: (tool_call_id) => delegate(tool_call_id, resultMessage(tool_call_id)),
    flush,
    get message_id() {
      return written ?? begun
    },
    usage,
    numberOf,
    get sources() {
      return [...sources.values()]
    },
  }
}

/** True if a text ends in the first half of a character. */
const endsInHalf = (text: string) => {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}

/** Splits a text into pieces of bounded length without cutting a character in half. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const piece = text.slice(start, start + PIECE)
    const end = start + piece.length
    const whole = end < text.length && endsInHalf(piece) ? piece.slice(0, -1) : piece
    yield whole
    start += whole.length
  }
}
