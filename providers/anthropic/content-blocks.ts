import { type InputPieces, takeInput, toCallId, toInputJson, toText } from './call-input.ts'
import { type Block, toServerCall } from './vendor-calls.ts'

/** A block that has begun, with its index in the events that are written. */
type OpenBlock =
  | { type: 'text'; index: number }
  | { type: 'thinking'; index: number; isSigned: boolean }
  | ({ type: 'tool_use'; index: number } & InputPieces)
  | { type: 'vendor'; call: Block; json: string }
  | { type: 'ignored' }

type Fields = Record<string, unknown>

/** The calls of a vendor, by its own tools or the tools of an MCP server. */
const VENDOR_CALL = /^(?:server|mcp)_tool_use$/
const VENDOR_RESULT = /_tool_result$/

/**
 * Creates a writer of content blocks that repairs what the client library does not read: bytes in the start of a block,
 * blocks and deltas of unknown types, missing starts and stops, and indexes that are missing or used again.
 */
export function createContentBlocks(
  write: (event: object) => void,
  { keepsUnsigned }: { /** True if thoughts go back without a signature. */ keepsUnsigned: boolean },
) {
  const open = new Map<number, OpenBlock>()
  /** The vendor's calls whose result has not come yet. */
  const pending = new Map<string, Block>()
  let count = 0
  let last = 0
  let hasCalls = false

  function begin(content_block: object): number {
    const index = count
    count += 1
    write({ type: 'content_block_start', index, content_block })
    return index
  }

  const writeDelta = (index: number, delta: object) => write({ type: 'content_block_delta', index, delta })

  function writeWhole(block: object): void {
    write({ type: 'content_block_stop', index: begin(block) })
  }

  function writeServerCall(call: Block, result?: Block): void {
    for (const block of toServerCall(call, result)) writeWhole(block)
  }

  function takeResult(result: Block): void {
    for (const [position, { type }] of open) if (type === 'vendor') stop(position)
    const id = toCallId(result.tool_use_id)
    const call = pending.get(id)
    if (!call) return
    pending.delete(id)
    writeServerCall(call, result)
  }

  function openBlock(block: Block): OpenBlock {
    const type = String(block.type)
    if (type === 'text') return { type, index: begin({ type, text: '' }) }
    if (type === 'thinking') return { type, index: begin({ type, thinking: '' }), isSigned: false }
    if (type === 'tool_use' && block.name) {
      hasCalls = true
      const head = { type, id: toCallId(block.id), name: String(block.name), input: {} }
      return { type, index: begin(head), initial: toInputJson(block.input), hasInput: false }
    }
    if (VENDOR_CALL.test(type)) {
      const call = {
        ...block,
        id: toCallId(block.id),
        name: String(block.name),
        input: toObject(block.input),
      }
      return { type: 'vendor', call, json: '' }
    }
    if (VENDOR_RESULT.test(type)) takeResult(block)
    if (type === 'redacted_thinking' && typeof block.data === 'string') writeWhole({ type, data: block.data })
    return { type: 'ignored' }
  }

  function start(position: number, block: Block): void {
    stop(position)
    last = position
    // The deltas tell what a block without a type is.
    if (block.type === undefined) return
    const opened = openBlock(block)
    open.set(position, opened)
    if (opened.type === 'text') addDelta(position, { type: 'text_delta', text: block.text })
    if (opened.type !== 'thinking') return
    addDelta(position, { type: 'thinking_delta', thinking: block.thinking })
    addDelta(position, { type: 'signature_delta', signature: block.signature })
  }

  /** Returns the open block of a type at a position, and opens one if the upstream has not. */
  function ensureOpen(position: number, type: 'text' | 'thinking') {
    const block = open.get(position)
    if (block?.type === type) return block
    if (block?.type === 'ignored') return undefined
    start(position, { type })
    return open.get(position) as Extract<OpenBlock, { index: number }>
  }

  /** Finds the call that a delta belongs to; without its position, the last one. */
  function findCall(position: number): OpenBlock | undefined {
    return open.get(position) ?? [...open.values()].findLast(({ type }) => type === 'tool_use')
  }

  function addInput(block: OpenBlock | undefined, piece: unknown): void {
    if (block?.type === 'vendor') block.json += toInputJson(piece)
    if (block?.type !== 'tool_use') return
    const partial_json = takeInput(block, piece)
    if (partial_json) writeDelta(block.index, { type: 'input_json_delta', partial_json })
  }

  function addDelta(position: number, delta: Fields): void {
    const { type = typeof delta.text === 'string' ? 'text_delta' : undefined } = delta
    if (type === 'text_delta') {
      const text = toText(delta.text)
      const block = text ? ensureOpen(position, 'text') : undefined
      if (block) writeDelta(block.index, { type, text })
    } else if (type === 'thinking_delta') {
      const thinking = toText(delta.thinking)
      const block = thinking ? ensureOpen(position, 'thinking') : undefined
      if (block) writeDelta(block.index, { type, thinking })
    } else if (type === 'signature_delta') {
      const block = open.get(position)
      if (block?.type !== 'thinking' || typeof delta.signature !== 'string' || delta.signature === '') return
      block.isSigned = true
      writeDelta(block.index, { type, signature: delta.signature })
    } else if (type === 'input_json_delta') {
      addInput(findCall(position), delta.partial_json)
    }
  }

  function stop(position: number): void {
    const block = open.get(position)
    open.delete(position)
    if (!block || block.type === 'ignored') return
    if (block.type === 'vendor') {
      const input = block.json === '' ? block.call.input : toObject(block.json)
      pending.set(String(block.call.id), { ...block.call, input })
      return
    }
    if (block.type === 'tool_use' && !block.hasInput && block.initial !== '')
      writeDelta(block.index, { type: 'input_json_delta', partial_json: block.initial })
    if (block.type === 'thinking' && !block.isSigned && keepsUnsigned)
      writeDelta(block.index, { type: 'signature_delta', signature: '' })
    write({ type: 'content_block_stop', index: block.index })
  }

  return {
    /** The position in an event; without one, that of the block that began last. */
    positionOf: ({ index }: Fields): number => (index === undefined ? last : Number(index)),
    start,
    addDelta,
    stop,
    /** Writes a block that is complete. */
    addWhole(block: Block): void {
      start(-1, block)
      stop(-1)
    },
    /** Stops what is still open, and writes the vendor's calls that have no result. */
    close(): void {
      for (const position of [...open.keys()]) stop(position)
      for (const call of pending.values()) writeServerCall(call)
      pending.clear()
    },
    get isEmpty() {
      return count === 0
    },
    get hasCalls() {
      return hasCalls
    },
  }
}

/** Returns the input of a call as an object. */
function toObject(input: unknown): unknown {
  if (typeof input !== 'string') return input ?? {}
  try {
    return JSON.parse(input || '{}') ?? {}
  } catch {
    // The call is shown with the text, since the vendor has run it already.
    return { text: input }
  }
}
