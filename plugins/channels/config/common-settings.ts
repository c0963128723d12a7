import { objectOf, type TypeOf } from '#kernel'

const ids = (description: string) =>
  ({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 256 },
    maxItems: 1000,
    uniqueItems: true,
    description,
  }) as const

const groupRules = {
  visibility: {
    enum: ['auto', 'all', 'mention_recent', 'mention_only'],
    description:
      'What the agent gets to know of a group: everything, the last messages when it is spoken to, or only what is said to it',
  },
  activation: {
    enum: ['mention', 'always'],
    description: 'What it answers: messages that mention it, or, where visibility is `all`, every message',
  },
  history: {
    enum: ['recent', 'none'],
    description: 'Whether the last messages of the group are told to the agent with the one that it answers',
  },
  history_limit: { type: 'integer', minimum: 0, maximum: 50, description: 'How many of them; 10 by default' },
  history_ttl_seconds: {
    type: 'integer',
    minimum: 0,
    maximum: 86_400,
    description: 'How old they may be; 300 by default',
  },
  clear_after_reply: {
    type: 'boolean',
    description: 'Whether what was told once is not told again; true by default',
  },
} as const

/** What all channels have in `config` besides what their kind asks for. */
export const commonSettings = {
  response_mode: {
    enum: ['invoke', 'stream'],
    description: 'Send only the final answer, which is the default, or show it while it is written',
  },
  show_thinking: { type: 'boolean', description: 'Show what the model thinks, in the mode `stream`' },
  show_tool_hints: { type: 'boolean', description: 'Show which tools are used, in the mode `stream`' },
  allow_from: ids("The platform's ids of those who may talk to the agent; empty: everybody"),
  approvers: ids(
    'The ids of those who may approve what the agent wants to do; empty: whoever asked, if they are named in `allow_from`',
  ),
  group_context: objectOf({
    enabled: { type: 'boolean', description: 'Off: only what is said to the agent counts' },
    ...groupRules,
    groups: {
      type: 'object',
      additionalProperties: objectOf(groupRules),
      maxProperties: 200,
      description: "Other rules for single groups, by the platform's id of the conversation",
    },
  }),
} as const

const asObject = objectOf(commonSettings)

/** The common settings as they are stored. */
export type CommonSettings = TypeOf<typeof asObject>

/** The rules for one group, all of them said. */
export interface GroupRules {
  /** Whether every message is answered, not only those that mention the agent. */
  answers_all: boolean
  /** How many of the last messages are told with the one that is answered; 0: none. */
  history_limit: number
  history_ttl_ms: number
  clear_after_reply: boolean
}

const ALONE: GroupRules = { answers_all: false, history_limit: 0, history_ttl_ms: 0, clear_after_reply: true }

/**
 * The rules of a group. `always` counts only where all is visible, and who sees only mentions has no history; `auto`
 * tells of what the platform delivers.
 */
export function groupRulesFor({ group_context = {} }: CommonSettings, conversation_id: string): GroupRules {
  const { groups = {}, enabled = true, ...general } = group_context
  if (!enabled) return ALONE
  const own = Object.hasOwn(groups, conversation_id) ? groups[conversation_id] : undefined
  const {
    visibility = 'auto',
    activation = 'mention',
    history = 'recent',
    history_limit = 10,
    history_ttl_seconds = 300,
    clear_after_reply = true,
  } = { ...general, ...own }
  if (visibility === 'mention_only') return ALONE
  return {
    answers_all: activation === 'always' && visibility === 'all',
    history_limit: history === 'none' ? 0 : history_limit,
    history_ttl_ms: history_ttl_seconds * 1000,
    clear_after_reply,
  }
}
