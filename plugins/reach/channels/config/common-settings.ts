import { objectOf, type TypeOf } from '#plugin-api'

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
      'The messages of a group that the agent sees: all, the last ones when it is mentioned, or only its mentions',
  },
  activation: {
    enum: ['mention', 'always'],
    description:
      'The messages that the agent answers: those that mention it, or, if visibility is `all`, every message',
  },
  history: {
    enum: ['recent', 'none'],
    description: 'Whether the agent receives the last messages of the group with the one that it answers',
  },
  history_limit: {
    type: 'integer',
    minimum: 0,
    maximum: 50,
    description: 'Maximum number of these messages; 10 by default',
  },
  history_ttl_seconds: {
    type: 'integer',
    minimum: 0,
    maximum: 86_400,
    description: 'Maximum age of these messages; 300 by default',
  },
  clear_after_reply: {
    type: 'boolean',
    description: 'Whether each of these messages is sent to the agent only once; true by default',
  },
} as const

/** The fields that `config` has for every kind of channel, beside the kind's own. */
export const commonSettings = {
  response_mode: {
    enum: ['invoke', 'stream'],
    description: '`invoke` (the default) sends only the final answer; `stream` shows it while it is written',
  },
  show_thinking: { type: 'boolean', description: "Show the model's reasoning in mode `stream`" },
  show_tool_hints: { type: 'boolean', description: 'Show the names of called tools in mode `stream`' },
  memory: {
    type: 'boolean',
    description:
      "Use the memory of the agent's owner in direct conversations; false by default. Everybody who may write to the bot acts as the owner and sees what agents remember about them; what they want remembered is only proposed to the owner",
  },
  allow_from: ids('Platform ids of the people who may talk to the agent; if empty, everybody may'),
  approvers: ids(
    'Platform ids of the people who may approve tool calls; if empty, message authors listed in `allow_from` may',
  ),
  group_context: objectOf({
    enabled: { type: 'boolean', description: 'If false, the agent sees only messages that mention it' },
    ...groupRules,
    groups: {
      type: 'object',
      additionalProperties: objectOf(groupRules),
      maxProperties: 200,
      description: 'Rules that replace these for single groups, by the platform id of the conversation',
    },
  }),
} as const

const asObject = objectOf(commonSettings)

/** The stored values of the common settings. */
export type CommonSettings = TypeOf<typeof asObject>

/** The complete rules for one group. */
export interface GroupRules {
  /** True if every message is answered, not only those that mention the agent. */
  answers_all: boolean
  /** Number of earlier messages that the agent receives with the one that it answers. */
  history_limit: number
  history_ttl_ms: number
  clear_after_reply: boolean
}

const ALONE: GroupRules = { answers_all: false, history_limit: 0, history_ttl_ms: 0, clear_after_reply: true }

/**
 * Returns the rules of a group. `activation: always` needs `visibility: all`, and `visibility: mention_only` excludes
 * history. With `visibility: auto` the history has the messages that the platform delivers to the bot.
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
