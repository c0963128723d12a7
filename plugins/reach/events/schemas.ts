import { budgetState, listedAgentRow, nullable, rowOf, type TypeOf } from '#plugin-api'

const id = { type: 'string' } as const
const pending_id = {
  type: 'string',
  description: 'The id of the approval',
  examples: ['apr_01KDVMG'],
} as const
const { name, state } = listedAgentRow.properties
const thread = { thread_id: id, agent_id: id } as const

/** The fields of each event besides its type. */
const eventFields = {
  reset: {
    title: 'Reset',
    description:
      'Begins a stream that continues no earlier one, and follows a gap: read again what you show. The approvals that wait come next.',
    ...rowOf({}),
  },
  'thread.changed': {
    title: 'ThreadChanged',
    description: 'A thread of yours is new, or its row has changed',
    ...rowOf({
      ...thread,
      project_id: nullable({ type: 'string', examples: ['prj_01KDVMF0000000000000000001'] }),
      title: nullable({ type: 'string', examples: ['Quarterly numbers'] }),
      pinned: { type: 'boolean' },
      archived: { type: 'boolean' },
      unread: { type: 'integer', description: 'Replies that you have not read', examples: [1] },
      turn_active: { type: 'boolean', description: 'True while a turn runs or waits for a person' },
      last_active: { type: 'integer', description: 'Unix seconds', examples: [1_767_225_600] },
    }),
  },
  'thread.deleted': { title: 'ThreadDeleted', description: 'A thread of yours is gone', ...rowOf(thread) },
  'agent.changed': {
    title: 'AgentChanged',
    description: 'An agent of yours, or a shared one, is new, or its settings or its state have changed',
    ...rowOf({ agent_id: id, name, state }),
  },
  'agent.deleted': {
    title: 'AgentDeleted',
    description: 'An agent was deleted, or is no longer shared with you',
    ...rowOf({ agent_id: id }),
  },
  'channel.changed': {
    title: 'ChannelChanged',
    description: 'A channel of an agent of yours is new or gone, or its settings or its state have changed',
    ...rowOf({ channel_id: id, agent_id: id }),
  },
  'connector.changed': {
    title: 'ConnectorChanged',
    description: 'A connector that you can use is new or gone, or its settings or its state have changed',
    ...rowOf({ connector_id: id }),
  },
  'knowledge_base.changed': {
    title: 'KnowledgeBaseChanged',
    description:
      'A knowledge base that you can search is new, or its settings have changed, or it is gone for you',
    ...rowOf({ knowledge_base_id: id }),
  },
  'project.changed': {
    title: 'ProjectChanged',
    description:
      'A project that you see is new or has changed, or is gone for you: your threads in it have none then',
    ...rowOf({ project_id: id }),
  },
  'prompt.changed': {
    title: 'PromptChanged',
    description: 'A saved prompt that you see is new or has changed, or is gone for you',
    ...rowOf({ prompt_id: id }),
  },
  'memory.changed': {
    title: 'MemoryChanged',
    description: 'What agents remember about you has changed',
    ...rowOf({}),
  },
  'webhook.changed': {
    title: 'WebhookChanged',
    description: 'A webhook of yours is new or has changed, was disabled by the server, or is gone',
    ...rowOf({ webhook_id: id }),
  },
  'approval.pending': {
    title: 'ApprovalPending',
    description: 'A turn of yours waits for a decision',
    ...rowOf({
      ...thread,
      pending_id,
      expires_at: { type: 'integer', description: 'Unix seconds', examples: [1_767_312_000] },
    }),
  },
  'approval.resolved': {
    title: 'ApprovalResolved',
    description: 'A turn of yours no longer waits',
    ...rowOf({
      ...thread,
      pending_id,
      outcome: { title: 'ApprovalOutcome', enum: ['decided', 'expired', 'stopped'] },
    }),
  },
  'budget.warned': {
    title: 'BudgetWarned',
    description:
      'Four fifths of your budget are spent, or, for administrators, of the budget of the server; once a window',
    ...rowOf({
      scope: budgetState.properties.scope,
      window: budgetState.properties.window,
      amount: budgetState.properties.amount,
      currency: budgetState.properties.currency,
      spent: budgetState.properties.spent,
      resets_at: budgetState.properties.resets_at,
    }),
  },
  'usage.changed': {
    title: 'UsageChanged',
    description: 'Tokens of your account were spent',
    ...rowOf({}),
  },
} as const

/** The names of the events. */
export type EventName = keyof typeof eventFields

/** The data of the events of an account. */
export type AccountEvent = {
  [Name in EventName]: { type: Name } & TypeOf<(typeof eventFields)[Name]>
}[EventName]

/** The data of one event. */
export const accountEvent = {
  title: 'AccountEvent',
  type: 'object',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: Object.entries(eventFields).map(([type, { properties, required, ...event }]) => ({
    ...event,
    properties: { type: { type: 'string', const: type }, ...properties },
    required: ['type', ...required],
  })),
} as const
