import { objectOf, rowOf } from '#kernel'

const string = { type: 'string' } as const
const boolean = { type: 'boolean' } as const

const callFields = {
  name: { type: 'string', minLength: 1, maxLength: 256, examples: ['write_file'] },
  args: {
    type: 'object',
    additionalProperties: true,
    examples: [{ path: '/srv/reports/oslo.md', content: '4 °C, light rain' }],
  },
} as const

/** The fields of a pending approval, in frames and in the history. */
export const pendingFields = {
  pending_id: {
    type: 'string',
    description: 'The pause; a decision may name it',
    examples: ['01KAQ2VD11'],
  },
  action_requests: {
    type: 'array',
    items: {
      title: 'ActionRequest',
      ...rowOf(
        {
          id: { type: 'string', description: 'The `tool_call_id` of the call', examples: ['call_1'] },
          ...callFields,
          args_url: {
            type: 'string',
            description: 'The address of all arguments; set if `args` does not show them unchanged',
          },
          description: {
            type: 'string',
            description: 'A sentence for the person who decides',
            examples: ['Write a file outside of the workspace'],
          },
          parent_tool_call_id: string,
          is_step: {
            const: true,
            description: 'The call is already running and asks about one of its own steps',
          },
        },
        ['args_url', 'parent_tool_call_id', 'is_step'],
      ),
    },
  },
  review_configs: {
    type: 'array',
    items: rowOf({
      action_name: { type: 'string', examples: ['write_file'] },
      allowed_decisions: {
        type: 'array',
        items: { enum: ['approve', 'edit', 'reject', 'respond'] },
        examples: [['approve', 'edit', 'reject']],
      },
    }),
  },
  expires_at: { type: 'integer', description: 'Unix seconds', examples: [1_767_225_600] },
} as const

const words = { type: 'string', maxLength: 8000 } as const

/** A person's decision about one call. */
export const decision = {
  title: 'Decision',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [
    objectOf({ type: { const: 'approve' }, for_thread: boolean }, ['type']),
    rowOf({ type: { const: 'edit' }, edited_action: rowOf(callFields) }),
    objectOf({ type: { const: 'reject' }, message: words }, ['type']),
    rowOf({ type: { const: 'respond' }, message: words }),
  ],
} as const
