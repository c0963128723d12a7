import { nullable } from '#plugin-api'
import { EFFORTS } from './parameters.ts'

/** A value that is read without a schema of its own. */
export const anything = { type: 'object', additionalProperties: true } as const

/** A field of OpenAI's objects that is always null here; generators of clients cannot read the type of null alone. */
export const unused = { ...nullable({ type: 'string' } as const), examples: [null] } as const

export const text = { type: 'string' } as const
export const count = { type: 'integer', minimum: 0 } as const

/** Parameters of both forms that have an effect. */
export const model = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  description: 'The name of an agent of your own, or the id of any agent that you may open',
  examples: ['assistant'],
} as const
export const temperature = nullable({ type: 'number', minimum: 0, maximum: 2 } as const)
export const topP = nullable({ type: 'number', minimum: 0, maximum: 1 } as const)
export const outputTokens = nullable({
  type: 'integer',
  minimum: 1,
  maximum: 100_000_000,
  description: 'The limit of one answer of the model; that of the agent applies if it is lower',
} as const)
export const effort = nullable({ title: 'ReasoningEffort', type: 'string', enum: EFFORTS } as const)
export const isStream = nullable({ type: 'boolean', description: 'Answers with server-sent events' } as const)

/** Parameters that the readers of tools and formats check, because their form depends on their type. */
export const tools = nullable({
  type: 'array',
  items: anything,
  description: 'Functions of the caller, which are offered beside the tools of the agent; at most 128',
} as const)
export const toolChoice = {
  description:
    '`auto`, `none`, `required`, a function or `allowed_tools`; it is about the functions of the caller',
  examples: ['auto'],
} as const
export const parallelToolCalls = nullable({
  type: 'boolean',
  description: 'False to receive the calls of one answer one after the other',
} as const)
export const answerFormat = nullable({
  ...anything,
  description: 'The form of the final answer: `text`, `json_object` or `json_schema`',
} as const)
export const stop = {
  description: 'Up to four texts at which an answer ends',
  examples: ['END'],
} as const

/** The content of a message: text, or parts of which other fields depend on the type. */
export const content = {
  anyOf: [
    { type: 'string' },
    {
      type: 'array',
      maxItems: 64,
      items: {
        type: 'object',
        properties: { type: { type: 'string', maxLength: 64 } },
        required: ['type'],
        additionalProperties: true,
      },
    },
    { type: 'null' },
  ],
} as const

/** The name of a function as model providers accept it. */
export const functionName = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' } as const
export const callId = { type: 'string', minLength: 1, maxLength: 256 } as const

export const MAX_MESSAGES = 4096
