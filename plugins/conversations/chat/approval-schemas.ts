import { objectOf, rowOf } from '#plugin-api'
import { pathThreadId, threadId } from './message-schemas.ts'

const string = { type: 'string' } as const
const boolean = { type: 'boolean' } as const

const callFields = {
  name: {
    type: 'string',
    minLength: 1,
    maxLength: 256,
    description: 'The name of the tool',
    examples: ['write_file'],
  },
  args: {
    type: 'object',
    additionalProperties: true,
    examples: [{ path: 'notes/plan.md', content: '# Plan' }],
  },
} as const

/** The fields of a pending approval, in frames and in the history. */
export const pendingFields = {
  pending_id: {
    ...string,
    description: 'The id of this pause, to be sent with the decisions',
    examples: ['apr_01KDVMF0000000000000000001'],
  },
  action_requests: {
    type: 'array',
    items: {
      title: 'ActionRequest',
      ...rowOf(
        {
          id: { ...string, description: 'The id of the tool call', examples: ['call_1'] },
          ...callFields,
          args_url: {
            type: 'string',
            description: 'The address of all arguments; set if `args` does not show them unchanged',
            examples: [
              '/api/agents/01KDVMF00000000000000000AG/chat/hitl/apr_01KDVMF0000000000000000001/threads/thr_01KDVMF0000000000000000001/args/0',
            ],
          },
          description: {
            ...string,
            description: 'The question for the person',
            examples: ['Write the file notes/plan.md'],
          },
          parent_tool_call_id: {
            ...string,
            description: 'The call of `task` or `ask_agent` whose delegated conversation asks',
          },
          is_step: {
            const: true,
            description: 'The call is already running and asks about one of its own steps',
          },
          for_client: {
            const: true,
            description:
              "The result comes from the program that asked for the turn, as OpenAI's API has it; nobody else decides",
          },
          authorization_required: {
            title: 'AuthorizationRequired',
            description:
              'The credentials that the call waits for; the turn continues automatically once they exist',
            ...rowOf(
              {
                connector_id: { ...string, examples: ['con_01KDVMF0000000000000000001'] },
                name: { ...string, description: 'The name of the connector', examples: ['tracker'] },
                origin: {
                  ...string,
                  description: 'The place to which the credentials are sent, and no other',
                  examples: ['https://mcp.example.com'],
                },
                authorization_url: {
                  ...string,
                  description: 'The page on which to sign in',
                  examples: ['https://id.example.com/authorize?client_id=svc'],
                },
                fields: {
                  type: 'array',
                  items: { ...string, examples: ['Authorization'] },
                  description: 'The headers to enter with `putConnectorCredentials`',
                },
              },
              ['origin', 'authorization_url', 'fields'],
            ),
          },
        },
        ['args_url', 'parent_tool_call_id', 'is_step', 'for_client', 'authorization_required'],
      ),
    },
  },
  review_configs: {
    type: 'array',
    items: {
      title: 'ReviewConfig',
      ...rowOf({
        action_name: { ...string, examples: ['write_file'] },
        allowed_decisions: {
          type: 'array',
          items: { title: 'AllowedDecision', enum: ['approve', 'edit', 'reject', 'respond'] },
        },
      }),
    },
    description: 'One for each request, in their order',
  },
  expires_at: { type: 'integer', description: 'Unix seconds; the requests count as rejected then' },
} as const

const words = { type: 'string', maxLength: 8000, examples: ['Not this file, please.'] } as const

/** A person's decision about one call. */
export const decision = {
  title: 'Decision',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [
    objectOf(
      {
        type: { const: 'approve' },
        for_thread: { ...boolean, description: 'True if the tool need not ask again in this thread' },
      },
      ['type'],
    ),
    rowOf({ type: { const: 'edit' }, edited_action: rowOf(callFields) }),
    objectOf({ type: { const: 'reject' }, message: words }, ['type']),
    rowOf({ type: { const: 'respond' }, message: words }),
  ],
} as const

/** The path of a request of a paused turn. */
export const requestParams = rowOf({
  thread_id: pathThreadId,
  pending_id: { type: 'string', description: 'The `pending_id` of the pause' },
  index: { type: 'string', description: 'The position of the request among `action_requests`, from 0' },
})

/** GET …/chat/hitl/:pending_id/threads/:thread_id/args/:index. */
export const requestArguments = {
  title: 'RequestArguments',
  ...rowOf({
    id: { ...string, description: 'The id of the tool call', examples: ['call_1'] },
    name: { ...string, description: 'The name of the tool', examples: ['write_file'] },
    args: {
      type: 'object',
      additionalProperties: true,
      examples: [{ path: 'notes/plan.md', content: '# Plan' }],
    },
  }),
} as const

/** POST …/chat/hitl/resume: one decision for each request, in their order. */
export const verdict = rowOf(
  {
    thread_id: threadId,
    pending_id: {
      type: 'string',
      minLength: 1,
      maxLength: 128,
      description:
        'The approval that the decisions are for; they are refused if the turn waits for another one',
      examples: ['apr_01KDVMF0000000000000000001'],
    },
    decisions: {
      type: 'array',
      items: decision,
      minItems: 1,
      maxItems: 16,
      description: 'One for each request, in their order',
      examples: [[{ type: 'approve' }]],
    },
  },
  ['pending_id'],
)
