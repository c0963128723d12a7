import { EventStreamCodec } from '@smithy/eventstream-codec'
import { fromUtf8, toUtf8 } from '@smithy/util-utf8'
import { frame } from './fake-bedrock.ts'
import type { FixtureAnswer } from './stream-fixtures.ts'

/** The protocols that provider kinds speak, by the path of their calls. */
const PATHS = {
  chat: /\/chat\/completions$/,
  responses: /\/responses$/,
  messages: /\/messages$/,
  converse: /\/model\/.+\/converse-stream$/,
  gemini: /:streamGenerateContent$/,
  ollama: /\/api\/chat$/,
} as const

/** A protocol of chats with models. */
export type Wire = keyof typeof PATHS

const WIRES = Object.keys(PATHS) as Wire[]

/** Returns the protocol of a call by its path without query; undefined if it does not ask a chat model. */
export const wireOf = (pathname: string): Wire | undefined => WIRES.find((wire) => PATHS[wire].test(pathname))

/** Returns the content type of a stream of this protocol. */
export const streamTypeOf = (wire: Wire): string =>
  wire === 'ollama'
    ? 'application/x-ndjson'
    : wire === 'converse'
      ? 'application/vnd.amazon.eventstream'
      : 'text/event-stream'

const codec = new EventStreamCodec(toUtf8, fromUtf8)

/**
 * Encodes an event of an AWS event stream; `:exception NAME` is an exception with its payload, and `:error CODE` an
 * error frame with its words.
 */
export function encodeEvent([type, payload]: [string, unknown]): Uint8Array {
  const [prefix, name] = /^:(exception|error) (.+)$/.exec(type)?.slice(1) ?? []
  if (prefix === 'error') {
    const string = (value: string) => ({ type: 'string' as const, value })
    return codec.encode({
      headers: {
        ':message-type': string('error'),
        ':error-code': string(name!),
        ':error-message': string(String(payload)),
      },
      body: new Uint8Array(),
    })
  }
  return frame(prefix ? 'exception' : 'event', name ?? type, payload as object)
}

const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const namedSse = (events: readonly { type: string; [field: string]: unknown }[]) =>
  events.map((event) => `event: ${event.type}\n${sse(event)}`).join('')

/** Returns a stream of this protocol that contains a text and counts its tokens. */
export function plainAnswer(wire: Wire, text: string): FixtureAnswer {
  switch (wire) {
    case 'chat': {
      const chunk = (more: object) => ({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...more })
      const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }
      return {
        body: `${sse(
          chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: text } }] }),
          chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
          chunk({ choices: [], usage }),
        )}data: [DONE]\n\n`,
      }
    }
    case 'responses': {
      const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 }
      const response = { id: 'resp_next', object: 'response', created_at: 1, model: 'm' }
      const position = { item_id: 'msg_next', output_index: 0, content_index: 0 }
      const item = { id: 'msg_next', type: 'message', role: 'assistant' }
      const content = [{ type: 'output_text', text, annotations: [] }]
      const done = { ...item, status: 'completed', content }
      return {
        body: namedSse([
          { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
          { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
          { type: 'response.output_text.delta', ...position, delta: text },
          { type: 'response.output_text.done', ...position, text },
          { type: 'response.output_item.done', output_index: 0, item: done },
          {
            type: 'response.completed',
            response: { ...response, status: 'completed', output: [done], usage },
          },
        ]),
      }
    }
    case 'messages': {
      const message = { id: 'msg_next', type: 'message', role: 'assistant', model: 'm', content: [] }
      return {
        body: namedSse([
          {
            type: 'message_start',
            message: { ...message, stop_reason: null, usage: { input_tokens: 5, output_tokens: 1 } },
          },
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
          { type: 'content_block_stop', index: 0 },
          {
            type: 'message_delta',
            delta: { stop_reason: 'end_turn', stop_sequence: null },
            usage: { output_tokens: 2 },
          },
          { type: 'message_stop' },
        ]),
      }
    }
    case 'converse':
      return {
        events: [
          ['messageStart', { role: 'assistant' }],
          ['contentBlockDelta', { contentBlockIndex: 0, delta: { text } }],
          ['contentBlockStop', { contentBlockIndex: 0 }],
          ['messageStop', { stopReason: 'end_turn' }],
          [
            'metadata',
            { usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 }, metrics: { latencyMs: 1 } },
          ],
        ],
      }
    case 'gemini':
      return {
        body: sse({
          candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
          usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
        }),
      }
    case 'ollama': {
      const common = { model: 'm', created_at: '2026-01-01T00:00:00Z' }
      const end = { done: true, done_reason: 'stop', prompt_eval_count: 5, eval_count: 2 }
      return {
        body: [
          { ...common, message: { role: 'assistant', content: text }, done: false },
          { ...common, message: { role: 'assistant', content: '' }, ...end },
        ]
          .map((line) => `${JSON.stringify(line)}\n`)
          .join(''),
      }
    }
  }
}
