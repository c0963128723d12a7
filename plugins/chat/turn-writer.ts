import type { LanguageModelV3Usage } from '@ai-sdk/provider'
import type { Ids } from '#kernel'
import type { Artifact, Usage } from './documents.ts'
import type { TurnLog } from './ledger.ts'
import type { ModelListener } from './model-answer.ts'
import { argumentsOf } from './model-context.ts'
import { bounded, storable, wellFormed } from './storable.ts'

/** How much text one event holds at the most, in characters. */
const PIECE = 65_536

/** Turns what happens in a turn into events of its log. */
export interface TurnWriter extends ModelListener {
  /** A model call begins; what it says is a message of its own. */
  beginMessage(): void
  onToolResult(result: { tool_call_id: string; name: string; output: string; is_error: boolean }): void
  onAttachment(file: { tool_call_id: string; path: string; media_type: string; url: string | null }): void
  /** Writes text that was held back because half a character was missing. */
  flush(): void
  /** The last reply that has begun to be written, or else the one that a model was called for. */
  readonly message_id: string | null
  readonly usage: Usage
  readonly artifacts: Artifact[]
}

/** Makes the writer of one turn. */
export function createTurnWriter({
  log,
  ids,
  model,
}: {
  log: TurnLog
  ids: Ids
  model: () => string
}): TurnWriter {
  const usage: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  const artifacts: Artifact[] = []
  const results = new Map<string, string>()
  const held = { content: '', reasoning: '' }
  let begun: string | null = null
  let written: string | null = null

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

  return {
    beginMessage() {
      begun = ids.make('msg_')
      // Some upstreams number the calls of each answer anew.
      results.clear()
    },
    onText: (text) => say('content', text),
    onReasoning: (text) => say('reasoning', text),
    onToolCall({ id, name, input }) {
      flush()
      log.write('tool_call', {
        message_id: reply(),
        tool_call_id: wellFormed(id),
        name: wellFormed(name),
        input: bounded(storable(argumentsOf(input))),
      })
    },
    onToolResult({ tool_call_id, name, output, is_error }) {
      log.write('tool_result', {
        message_id: resultMessage(tool_call_id),
        tool_call_id: wellFormed(tool_call_id),
        name: wellFormed(name),
        output: wellFormed(output),
        is_error,
      })
    },
    onAttachment({ tool_call_id, path: place, media_type, url }) {
      const path = wellFormed(place)
      const filename = path.split('/').at(-1)!
      const [family] = media_type.split('/')
      const kind = family === 'image' || family === 'video' || family === 'audio' ? family : 'file'
      artifacts.push({ path, filename, media_type })
      log.write('attachment', {
        message_id: resultMessage(tool_call_id),
        kind,
        path,
        filename,
        media_type,
        url,
      })
    },
    onUsage(call) {
      flush()
      const counted = usageOf(call)
      for (const name of Object.keys(counted) as (keyof Usage)[])
        usage[name] = (usage[name] ?? 0) + counted[name]!
      log.write('usage', { message_id: reply(), usage: counted, model: model() })
    },
    flush,
    get message_id() {
      return written ?? begun
    },
    usage,
    artifacts,
  }
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): Usage {
  const input_tokens = inputTokens.total ?? 0
  const output_tokens = outputTokens.total ?? 0
  return {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    ...(inputTokens.cacheRead ? { cached_input_tokens: inputTokens.cacheRead } : {}),
    ...(outputTokens.reasoning ? { reasoning_tokens: outputTokens.reasoning } : {}),
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
