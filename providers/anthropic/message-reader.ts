import { createContentBlocks } from './content-blocks.ts'
import { findStreamError, type StreamError } from './stream-error.ts'
import { createTokenCounts } from './token-counts.ts'
import type { Block } from './vendor-calls.ts'

type Fields = Record<string, unknown>

/**
 * Creates a reader of one answer, which writes it as events of the Messages API that the client library reads. Unknown
 * events are ignored, as Anthropic demands; missing ones and missing fields are filled in; errors keep their words.
 */
export function createMessageReader(
  write: (event: object) => void,
  { isClaude }: { /** False for the models of vendors that imitate the Messages API. */ isClaude: boolean },
) {
  const blocks = createContentBlocks(write, { keepsUnsigned: !isClaude })
  const tokens = createTokenCounts()
  let hasBegun = false
  let isOver = false
  /** The blocks in `message_start`, which count if no block follows. */
  let initialBlocks: Block[] = []
  let stop: { reason?: string; sequence?: string; explanation?: string } = {}

  function begin(message: Fields = {}): void {
    if (hasBegun) return
    hasBegun = true
    const { id, model } = message
    write({
      type: 'message_start',
      message: {
        ...(typeof id === 'string' && { id }),
        ...(typeof model === 'string' && { model }),
        usage: tokens.toUsage(),
      },
    })
  }

  function readStart(message: Fields): void {
    // The number of output tokens in it is that of the first token.
    tokens.add({ ...asObject(message.usage), ...(message.stop_reason == null && { output_tokens: 0 }) })
    readStop(message)
    if (Array.isArray(message.content)) initialBlocks = message.content.filter(isObject)
    begin(message)
  }

  function readStop({ stop_reason: reason, stop_sequence: sequence, stop_details: details }: Fields): void {
    const { explanation } = asObject(details)
    stop = {
      ...stop,
      ...(typeof reason === 'string' && reason !== '' && { reason }),
      ...(typeof sequence === 'string' && { sequence }),
      ...(typeof explanation === 'string' && { explanation: explanation.trim() }),
    }
  }

  function finish(): void {
    begin()
    if (blocks.isEmpty) for (const block of initialBlocks) blocks.addWhole(block)
    blocks.close()
    const { reason = blocks.hasCalls ? 'tool_use' : 'end_turn', sequence, explanation } = stop
    if (reason === 'refusal' && explanation)
      blocks.addWhole({ type: 'text', text: blocks.isEmpty ? explanation : `\n\n${explanation}` })
    write({
      type: 'message_delta',
      delta: { stop_reason: reason, stop_sequence: sequence ?? null },
      usage: tokens.toUsage(),
    })
    write({ type: 'message_stop' })
    isOver = true
  }

  function fail(error: StreamError): void {
    if (isOver) return
    isOver = true
    write({ type: 'error', error })
  }

  /** Reads the next event; the name may say what its data does not. */
  function read(name: string, event: Fields): void {
    if (isOver) return
    const error = findStreamError(name, event)
    if (error) {
      fail(error)
      return
    }
    tokens.add(event.usage ?? asObject(event.delta).usage)
    const type = event.type ?? name
    if (type === 'message_start') readStart(asObject(event.message))
    else if (type === 'message_delta') readStop(asObject(event.delta))
    else if (type === 'message_stop') finish()
    else readBlock(type, event)
  }

  function readBlock(type: unknown, event: Fields): void {
    const position = blocks.positionOf(event)
    if (type === 'content_block_stop') blocks.stop(position)
    if (type !== 'content_block_start' && type !== 'content_block_delta') return
    begin()
    if (type === 'content_block_start') blocks.start(position, asObject(event.content_block))
    else blocks.addDelta(position, asObject(event.delta))
  }

  return {
    read,
    fail,
    /** Reads the mark at the end of streams of OpenAI. */
    readDone(): void {
      if (!isOver && (stop.reason || !blocks.isEmpty)) finish()
    },
    /** Reads an answer that was not streamed, or an error. */
    readWhole(body: Fields): void {
      const message = 'The upstream answered with JSON that is not an answer of the Messages API.'
      if (!Array.isArray(body.content)) {
        fail(findStreamError('', body) ?? { type: 'invalid_request_error', message })
        return
      }
      readStart({ ...body, stop_reason: body.stop_reason ?? 'end_turn' })
      finish()
    },
    /** Fails an answer that has not ended. */
    end: () => fail({ type: 'api_error', message: 'The answer ended before it was finished.' }),
    get isOver() {
      return isOver
    },
  }
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const asObject = (value: unknown): Fields => (isObject(value) ? value : {})
