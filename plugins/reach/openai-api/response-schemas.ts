import { nullable, rowOf } from '#plugin-api'
import {
  answerFormat,
  anything,
  content,
  count,
  effort,
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

const responseId = {
  type: 'string',
  maxLength: 128,
  examples: ['resp_01JDZ3Q1YV2Z8F6X7K5M4N3P2R01JDZ3Q1YV3A9G7Y8L6N5P4Q3S'],
} as const

const metadata = nullable({
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 512 },
  maxProperties: 16,
  examples: [{ topic: 'weather' }],
} as const)

/** POST /v1/responses. */
export const responseRequest = {
  title: 'ResponseRequest',
  type: 'object',
  properties: {
    model,
    input: {
      anyOf: [
        { type: 'string', pattern: '\\S' },
        {
          type: 'array',
          minItems: 1,
          maxItems: MAX_MESSAGES,
          items: {
            type: 'object',
            properties: { type: { type: 'string', maxLength: 64 }, content },
            additionalProperties: true,
          },
        },
      ],
      examples: ['What is on my list?'],
    },
    instructions: nullable(text),
    previous_response_id: nullable(responseId),
    stream: isStream,
    temperature,
    top_p: topP,
    max_output_tokens: outputTokens,
    reasoning: nullable({ type: 'object', properties: { effort }, additionalProperties: true } as const),
    metadata,
    tools,
    tool_choice: toolChoice,
    parallel_tool_calls: parallelToolCalls,
    text: nullable({
      type: 'object',
      properties: { format: answerFormat },
      additionalProperties: true,
    } as const),
    stop,
  },
  required: ['model', 'input'],
  additionalProperties: true,
} as const

const shownChoice = {
  anyOf: [
    { enum: ['auto', 'required'] },
    { ...anything, examples: [{ type: 'function', name: 'get_weather' }] },
  ],
} as const

const status = {
  title: 'ResponseStatus',
  enum: ['in_progress', 'completed', 'incomplete', 'failed'],
} as const

const outputText = {
  title: 'ResponseOutputText',
  ...rowOf({
    type: { const: 'output_text' },
    text,
    annotations: { type: 'array', items: anything, maxItems: 0 },
    logprobs: { type: 'array', items: anything, maxItems: 0 },
  }),
} as const

const refusalPart = {
  title: 'ResponseRefusal',
  ...rowOf({ type: { const: 'refusal' }, refusal: { ...text, examples: ['I cannot help with this.'] } }),
} as const

/** A part of the content of a message. */
const contentPart = {
  title: 'ResponseContent',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [outputText, refusalPart],
} as const

const functionCall = {
  title: 'ResponseFunctionCall',
  ...rowOf({
    type: { const: 'function_call' },
    id: text,
    call_id: { ...text, examples: ['call_01JDZ3Q1YV2Z8F6X7K5M4N3P2R50'] },
    name: { ...text, examples: ['get_weather'] },
    arguments: { ...text, description: 'As the model wrote them', examples: ['{"city":"Oslo"}'] },
    status,
  }),
} as const

const summaryText = {
  title: 'ResponseSummaryText',
  ...rowOf({ type: { const: 'summary_text' }, text }),
} as const

/** A part of the output: thoughts, a message, or a call of a tool of the caller. */
const outputItem = {
  title: 'ResponseItem',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [
    {
      title: 'ResponseMessage',
      ...rowOf({
        type: { const: 'message' },
        id: text,
        role: { const: 'assistant' },
        status,
        content: { type: 'array', items: contentPart },
      }),
    },
    functionCall,
    {
      title: 'ResponseReasoning',
      ...rowOf({
        type: { const: 'reasoning' },
        id: text,
        status,
        summary: { type: 'array', items: summaryText },
      }),
    },
  ],
} as const

/** A reply of an agent. */
export const response = {
  // Generated clients have a class of their own that is called Response.
  title: 'ResponseObject',
  ...rowOf({
    id: responseId,
    object: { const: 'response' },
    created_at: { type: 'integer', description: 'Unix seconds' },
    status,
    background: { const: false },
    error: nullable({
      // The name that generators of clients make up is that of a class of their own.
      title: 'ResponseFailure',
      ...rowOf({
        code: { ...text, examples: ['MODEL_UNAVAILABLE'] },
        message: { ...text, examples: ['The model is unavailable.'] },
      }),
    } as const),
    incomplete_details: nullable(rowOf({ reason: { enum: ['max_output_tokens', 'content_filter'] } })),
    instructions: nullable({ ...text, examples: ['Answer briefly.'] }),
    max_output_tokens: nullable(count),
    metadata,
    model,
    output: { type: 'array', items: outputItem },
    parallel_tool_calls: { type: 'boolean' },
    previous_response_id: nullable(text),
    reasoning: rowOf({ effort: nullable({ ...text, examples: ['low'] }), summary: unused }),
    store: { const: true },
    temperature: nullable({ type: 'number' } as const),
    text: rowOf({ format: { ...anything, examples: [{ type: 'text' }] } }),
    tool_choice: shownChoice,
    tools: { type: 'array', items: anything },
    top_p: nullable({ type: 'number' } as const),
    truncation: { const: 'disabled' },
    usage: nullable(
      rowOf({
        input_tokens: count,
        input_tokens_details: rowOf({ cached_tokens: count }),
        output_tokens: count,
        output_tokens_details: rowOf({ reasoning_tokens: count }),
        total_tokens: count,
      }),
    ),
  }),
} as const

const itemFields = { item_id: text, output_index: count } as const
const eventOf = <const Types extends readonly string[], const Fields extends Record<string, unknown>>(
  title: string,
  types: Types,
  fields: Fields,
) => ({ title, ...rowOf({ type: { enum: types }, sequence_number: count, ...fields }) }) as const

const content_index = { const: 0 } as const
const summary_index = { const: 0 } as const

/** An event of a stream. */
export const responseEvent = {
  title: 'ResponseEvent',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [
    eventOf(
      'ResponseStateEvent',
      [
        'response.created',
        'response.in_progress',
        'response.completed',
        'response.incomplete',
        'response.failed',
      ],
      { response },
    ),
    eventOf('ResponseItemEvent', ['response.output_item.added', 'response.output_item.done'], {
      output_index: count,
      item: outputItem,
    }),
    eventOf('ResponsePartEvent', ['response.content_part.added', 'response.content_part.done'], {
      ...itemFields,
      content_index,
      part: contentPart,
    }),
    eventOf('ResponseRefusalDelta', ['response.refusal.delta'], {
      ...itemFields,
      content_index,
      delta: text,
    }),
    eventOf('ResponseRefusalDone', ['response.refusal.done'], {
      ...itemFields,
      content_index,
      refusal: text,
    }),
    eventOf('ResponseCallDelta', ['response.function_call_arguments.delta'], { ...itemFields, delta: text }),
    eventOf('ResponseCallDone', ['response.function_call_arguments.done'], {
      ...itemFields,
      name: text,
      arguments: text,
    }),
    eventOf('ResponseTextDelta', ['response.output_text.delta'], {
      ...itemFields,
      content_index,
      delta: text,
      logprobs: { type: 'array', items: anything, maxItems: 0 },
    }),
    eventOf('ResponseTextDone', ['response.output_text.done'], {
      ...itemFields,
      content_index,
      text,
      logprobs: { type: 'array', items: anything, maxItems: 0 },
    }),
    eventOf(
      'ResponseThoughtPartEvent',
      ['response.reasoning_summary_part.added', 'response.reasoning_summary_part.done'],
      {
        ...itemFields,
        summary_index,
        part: summaryText,
      },
    ),
    eventOf('ResponseThoughtDelta', ['response.reasoning_summary_text.delta'], {
      ...itemFields,
      summary_index,
      delta: text,
    }),
    eventOf('ResponseThoughtDone', ['response.reasoning_summary_text.done'], {
      ...itemFields,
      summary_index,
      text,
    }),
  ],
} as const
