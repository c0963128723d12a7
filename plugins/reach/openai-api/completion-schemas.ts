import { nullable, objectOf, rowOf } from '#plugin-api'
import {
  answerFormat,
  callId,
  content,
  count,
  effort,
  functionName,
  isStream,
  MAX_MESSAGES,
  model,
  outputTokens,
  parallelToolCalls,
  stop,
  temperature,
  text,
  toolChoice,
  tools,
  topP,
  unused,
} from './shared-schemas.ts'

const message = {
  type: 'object',
  properties: {
    role: { enum: ['system', 'developer', 'user', 'assistant', 'tool'] },
    content,
    tool_calls: nullable({
      type: 'array',
      maxItems: 64,
      items: {
        type: 'object',
        properties: {
          id: callId,
          function: {
            type: 'object',
            properties: { name: functionName, arguments: text },
            required: ['name', 'arguments'],
            additionalProperties: true,
          },
        },
        required: ['id', 'function'],
        additionalProperties: true,
      },
    } as const),
    tool_call_id: callId,
  },
  required: ['role'],
  additionalProperties: true,
} as const

/** POST /v1/chat/completions. */
export const completionRequest = {
  title: 'ChatCompletionRequest',
  type: 'object',
  properties: {
    model,
    messages: {
      type: 'array',
      items: message,
      minItems: 1,
      maxItems: MAX_MESSAGES,
      examples: [[{ role: 'user', content: 'What is on my list?' }]],
    },
    stream: isStream,
    stream_options: nullable({
      type: 'object',
      properties: { include_usage: { type: 'boolean' } },
      additionalProperties: true,
    } as const),
    temperature,
    top_p: topP,
    max_tokens: outputTokens,
    max_completion_tokens: outputTokens,
    reasoning_effort: effort,
    tools,
    tool_choice: toolChoice,
    parallel_tool_calls: parallelToolCalls,
    response_format: answerFormat,
    stop,
  },
  required: ['model', 'messages'],
  additionalProperties: true,
} as const

const usage = {
  title: 'ChatCompletionUsage',
  ...rowOf({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: rowOf({ cached_tokens: count }),
    completion_tokens_details: rowOf({ reasoning_tokens: count }),
  }),
} as const

const finishReason = {
  title: 'CompletionFinishReason',
  enum: ['stop', 'length', 'content_filter', 'tool_calls'],
} as const
const index = { const: 0 } as const
const toolCall = {
  title: 'ChatCompletionToolCall',
  ...rowOf({
    id: { ...text, examples: ['call_01JDZ3Q1YV2Z8F6X7K5M4N3P2R50'] },
    type: { const: 'function' },
    function: rowOf({
      name: { ...text, examples: ['get_weather'] },
      arguments: { ...text, description: 'As the model wrote them', examples: ['{"city":"Oslo"}'] },
    }),
  }),
} as const
const toolCallDelta = {
  title: 'ChatCompletionToolCallDelta',
  ...rowOf(
    {
      index: count,
      id: text,
      type: { const: 'function' },
      function: objectOf({ name: text, arguments: text }),
    },
    ['id', 'type'],
  ),
} as const
const head = {
  id: { type: 'string', examples: ['chatcmpl-01JDZ3Q1YV2Z8F6X7K5M4N3P2R'] },
  created: { type: 'integer', description: 'Unix seconds' },
  model,
} as const

/** The reply without a stream. */
export const completion = {
  title: 'ChatCompletion',
  ...rowOf({
    ...head,
    object: { const: 'chat.completion' },
    choices: {
      type: 'array',
      items: rowOf({
        index,
        message: rowOf(
          {
            role: { const: 'assistant' },
            content: nullable({ ...text, examples: ['It is sunny in Oslo.'] }),
            reasoning_content: { ...text, examples: ['The user asks about the weather.'] },
            refusal: nullable({ ...text, examples: [null] }),
            tool_calls: { type: 'array', items: toolCall },
          },
          ['reasoning_content', 'tool_calls'],
        ),
        logprobs: unused,
        finish_reason: finishReason,
      }),
    },
    usage,
  }),
} as const

/** An event of a stream. */
export const completionChunk = {
  title: 'ChatCompletionChunk',
  ...rowOf(
    {
      ...head,
      object: { const: 'chat.completion.chunk' },
      choices: {
        type: 'array',
        items: rowOf({
          index,
          delta: objectOf({
            role: { const: 'assistant' },
            content: text,
            reasoning_content: text,
            refusal: text,
            tool_calls: { type: 'array', items: toolCallDelta },
          }),
          finish_reason: nullable(finishReason),
        }),
      },
      usage: nullable(usage),
    },
    ['usage'],
  ),
} as const

/** A message of a request, as it was checked. */
export interface CompletionMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  readonly content?: unknown
  readonly tool_calls?:
    | readonly {
        readonly id: string
        readonly function: { readonly name: string; readonly arguments: string }
      }[]
    | null
  readonly tool_call_id?: string
}
