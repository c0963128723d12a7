import { objectOf, rowOf } from '#kernel'

const string = { type: 'string' } as const
const boolean = { type: 'boolean' } as const

const callFields = {
  name: { type: 'string', minLength: 1, maxLength: 256 },
  args: { type: 'object', additionalProperties: true },
} as const

/** The fields of a pending approval, in frames and in the history. */
export const pendingFields = {
  pending_id: string,
  action_requests: {
    type: 'array',
    items: {
      title: 'ActionRequest',
      ...rowOf(
        {
          id: string,
          ...callFields,
          args_url: {
            type: 'string',
            description: 'The address of all arguments; set if `args` does not show them unchanged',
          },
          description: string,
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
      action_name: string,
      allowed_decisions: {
        type: 'array',
        items: { enum: ['approve', 'edit', 'reject', 'respond'] },
      },
    }),
  },
  expires_at: { type: 'integer', description: 'Unix seconds' },
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
