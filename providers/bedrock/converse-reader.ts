import { type InputPieces, takeInput, toCallId, toInputJson, toText } from '../anthropic/call-input.ts'

type Fields = Record<string, unknown>
type Write = (type: string, payload: object) => void

/** A block that has begun; the result of a call that the vendor ran itself has its content. */
type OpenBlock =
  | { type: 'text' }
  | ({ type: 'call' } & InputPieces)
  | { type: 'result'; head: Fields; content: unknown[] }

/** The event for the result of a call that the vendor ran itself, which the client library skips. */
export const VENDOR_RESULT = 'vendorToolResult'

const COUNTS = ['inputTokens', 'outputTokens', 'cacheReadInputTokens', 'cacheWriteInputTokens'] as const

/**
 * Creates a reader of the events of one answer, which writes those that the client library reads. Unknown events and deltas
 * are skipped; missing starts, stops and numbers are filled in.
 */
export function createConverseReader(write: Write) {
  const open = new Map<number, OpenBlock>()
  let last = 0
  let hasCalls = false

  const writeDelta = (contentBlockIndex: number, delta: object) =>
    write('contentBlockDelta', { contentBlockIndex, delta })

  function start(index: number, block: Fields): void {
    stop(index)
    last = index
    const { toolUse, toolResult, ...delta } = block
    if (isObject(toolUse) && toolUse.name) {
      const { name, input, type } = toolUse
      hasCalls = true
      open.set(index, { type: 'call', initial: toInputJson(input), hasInput: false })
      const call = { toolUseId: toCallId(toolUse.toolUseId), name: String(name) }
      write('contentBlockStart', {
        contentBlockIndex: index,
        start: { toolUse: { ...call, ...(typeof type === 'string' && { type }) } },
      })
    } else if (isObject(toolResult)) open.set(index, { type: 'result', head: toolResult, content: [] })
    else addDelta(index, delta)
  }

  function addDelta(index: number, delta: Fields): void {
    const { text, toolUse, toolResult, reasoningContent } = delta
    const words = toText(text)
    if (words) {
      ensureText(index)
      writeDelta(index, { text: words })
    }
    if (isObject(reasoningContent)) addThought(index, reasoningContent)
    if (isObject(toolUse)) addInput(index, toolUse.input)
    const block = open.get(index)
    if (block?.type === 'result' && toolResult !== undefined) block.content.push(toolResult)
  }

  function ensureText(index: number): void {
    if (!open.has(index)) open.set(index, { type: 'text' })
  }

  /** Writes each part of a thought as an event of its own, since the library reads only one of them. */
  function addThought(index: number, thought: Fields): void {
    const { reasoningText, ...parts } = thought
    const { text, signature, redactedContent, data } = { ...asObject(reasoningText), ...parts }
    for (const [name, value] of Object.entries({ text, signature, redactedContent, data }))
      if (typeof value === 'string' && value !== '') {
        ensureText(index)
        writeDelta(index, { reasoningContent: { [name]: value } })
      }
  }

  function addInput(position: number, piece: unknown): void {
    const isCall = open.get(position)?.type === 'call'
    const index = isCall ? position : [...open].findLast(([, { type }]) => type === 'call')?.[0]
    const block = index === undefined ? undefined : open.get(index)
    if (index === undefined || block?.type !== 'call') return
    const input = takeInput(block, piece)
    if (input) writeDelta(index, { toolUse: { input } })
  }

  function stop(index: number): void {
    const block = open.get(index)
    if (!block) return
    open.delete(index)
    if (block.type === 'result') {
      const { toolUseId, content = block.content.flat(), status } = block.head
      write(VENDOR_RESULT, { toolUseId: toCallId(toolUseId), content, status })
      return
    }
    if (block.type === 'call' && !block.hasInput && block.initial !== '')
      writeDelta(index, { toolUse: { input: block.initial } })
    write('contentBlockStop', { contentBlockIndex: index })
  }

  function finish({ stopReason, additionalModelResponseFields }: Fields): void {
    for (const index of [...open.keys()]) stop(index)
    const { stop_sequence } = asObject(asObject(additionalModelResponseFields).delta)
    write('messageStop', {
      stopReason:
        typeof stopReason === 'string' && stopReason !== '' ? stopReason : hasCalls ? 'tool_use' : 'end_turn',
      ...(typeof stop_sequence === 'string' && {
        additionalModelResponseFields: { delta: { stop_sequence } },
      }),
    })
  }

  function readUsage(usage: unknown): void {
    const counts = asObject(usage)
    const counted = COUNTS.map((name) => [name, isCount(counts[name]) ? counts[name] : 0] as const)
    if (counted.some(([, count]) => count > 0)) write('metadata', { usage: Object.fromEntries(counted) })
  }

  function read(type: string, event: Fields): void {
    const index = event.contentBlockIndex === undefined ? last : Number(event.contentBlockIndex)
    if (type === 'contentBlockStart') start(index, asObject(event.start))
    else if (type === 'contentBlockDelta') addDelta(index, asObject(event.delta))
    else if (type === 'contentBlockStop') stop(index)
    else if (type === 'messageStop') finish(event)
    else if (type === 'metadata') readUsage(event.usage)
  }

  return {
    read,
    /** Reads an answer that was not streamed. */
    readWhole({ output, stopReason, usage }: Fields): void {
      const { content } = asObject(asObject(output).message)
      const blocks = Array.isArray(content) ? content.filter(isObject) : []
      for (const [index, block] of blocks.entries()) {
        start(index, block)
        stop(index)
      }
      finish({ stopReason })
      readUsage(usage)
    },
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const asObject = (value: unknown): Fields => (isObject(value) ? value : {})
