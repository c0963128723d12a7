import { agentKey, nullable, objectOf, pageQuery, rowOf } from '#plugin-api'

/** The most characters of a memory. */
export const MAX_TEXT_CHARS = 300

const time = { type: 'integer', description: 'Unix seconds', examples: [1_893_456_000] } as const
const memoryId = { type: 'string', examples: ['mem_01KDVMF0000000000000000001'] } as const
const agentId = { type: 'string', examples: ['01KDVMF0000000000000000001'] } as const

const text = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_TEXT_CHARS,
  pattern: '[^\\s\\p{C}]',
  description: 'One line; line breaks become spaces',
  examples: ['Prefers answers in metric units'],
} as const

const scope = {
  title: 'MemoryScope',
  enum: ['me', 'agent'],
  description: '`me`: all agents read it; `agent`: only one does',
  examples: ['me'],
} as const

const state = {
  title: 'MemoryState',
  enum: ['kept', 'proposed'],
  description: '`proposed`: an agent wants to remember it, and no agent reads it until you keep it',
  examples: ['kept'],
} as const

/** The path of a memory. */
export const memoryParams = rowOf({ id: { ...memoryId, description: 'A memory of yours' } })

const selection = {
  scope,
  agent_id: { ...agentKey, description: 'The id of an agent: only the memories for it' },
} as const

/** The query of the list. */
export const memoryQuery = objectOf({
  ...pageQuery,
  ...selection,
  q: {
    type: 'string',
    minLength: 1,
    maxLength: 256,
    description: 'Parts of the text, all of them, whatever the case and the accents',
    examples: ['metric'],
  },
  state: { ...state, default: 'kept' },
})

/** The query that chooses the memories to delete. */
export const memorySelection = objectOf(selection)

/** A new memory. */
export const newMemory = objectOf(
  {
    text,
    scope,
    agent_id: { ...agentKey, description: 'For the scope `agent`: an agent that you can use' },
  },
  ['text', 'scope'],
)

/** The changes of a memory. */
export const memoryChanges = {
  ...objectOf({
    text,
    state: { type: 'string', const: 'kept', description: 'Keeps a proposed memory' },
  }),
  minProperties: 1,
} as const

/** A memory as the API shows it. */
export const memoryRow = {
  title: 'Memory',
  ...rowOf({
    id: memoryId,
    text,
    scope,
    agent_id: { ...nullable(agentId), description: 'Set for the scope `agent`' },
    agent_name: {
      ...nullable({ type: 'string' }),
      description: 'Null for the scope `me`, and for an agent that you can no longer use',
      examples: [null],
    },
    state,
    source: {
      ...nullable(
        rowOf({ agent_id: agentId, thread_id: { type: 'string' }, message_id: { type: 'string' } }),
      ),
      description: 'Your message that it comes from; null if you wrote it here',
      examples: [null],
    },
    created_at: time,
    updated_at: time,
  }),
} as const

/** A list of memories. */
export const memoryRows = { type: 'array', items: memoryRow } as const
