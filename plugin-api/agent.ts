import { nullable, objectOf, rowOf, type TypeOf } from '#kernel'
import { managedRow } from './managed.ts'
import { reasoningLevel } from './provider-kind.ts'

/** The values of `persona_mbti`: the sixteen types, and the profile without a type. */
export const PERSONA_CODES = [
  'INTJ',
  'INTP',
  'ENTJ',
  'ENTP',
  'INFJ',
  'INFP',
  'ENFJ',
  'ENFP',
  'ISTJ',
  'ISFJ',
  'ESTJ',
  'ESFJ',
  'ISTP',
  'ISFP',
  'ESTP',
  'ESFP',
  '_default',
] as const

/** The JSON Schema of a value of `persona_mbti`. */
export const personaCode = { title: 'PersonaCode', enum: PERSONA_CODES, examples: ['ISTJ'] } as const

/** The JSON Schema of the agent's key in a path. */
export const agentKey = {
  type: 'string',
  description: 'The id of an agent, or the name of one of your own agents',
} as const

const text = <const Length extends number>(maxLength: Length) =>
  ({ type: ['string', 'null'], maxLength }) as const

/** Any printable text without slashes; surrounding spaces are trimmed when it is stored. */
const name = {
  type: 'string',
  maxLength: 256,
  pattern: '^\\s*[^\\s/\\p{Cc}\\p{Cs}]([^/\\p{Cc}\\p{Cs}]{0,62}[^\\s/\\p{Cc}\\p{Cs}])?\\s*$',
  description: '1 to 64 characters, none of them a slash or a control character',
  examples: ['numbers'],
} as const

const toolNames = { type: 'array', items: { type: 'string', maxLength: 64 }, maxItems: 256 } as const

/** The settings of an agent's `config` for the calls of its models. */
export const modelSettings = objectOf({
  temperature: {
    type: 'number',
    minimum: 0,
    maximum: 2,
    description: 'Omitted for models that refuse it',
    examples: [0.3],
  },
  top_p: { type: 'number', minimum: 0, maximum: 1, description: 'Omitted for models that refuse it' },
  max_output_tokens: {
    type: 'integer',
    minimum: 1,
    maximum: 100_000_000,
    description: 'The limit of one answer, thoughts included',
  },
  max_steps: {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    examples: [25],
    description: 'The limit of model calls in one turn, and in each delegated task; 25 by default',
  },
  reasoning: {
    ...reasoningLevel,
    description: 'The amount of thinking, for models that support it; by default that of the provider',
  },
})

const config = {
  description: 'Settings of the model and tool calls; replaced as a whole by a change',
  ...objectOf({
    ...modelSettings.properties,
    fallback_models: {
      type: 'array',
      items: { type: 'string', minLength: 3, maxLength: 512 },
      uniqueItems: true,
      maxItems: 3,
      description:
        'Models that answer, in this order, if the model of a turn is overloaded, limited or does not begin to answer',
      examples: [['openai:gpt-5']],
    },
    tools_with_approval: {
      ...toolNames,
      description:
        'Names of tools whose calls always need approval by a person, even if the tool itself requires none',
      examples: [['write_file']],
    },
    tools_without_approval: {
      ...toolNames,
      description: 'Names of tools whose calls need no approval by a person',
      examples: [['web_fetch']],
    },
  }),
} as const

/** The JSON Schema of the knowledge bases that an agent, a thread or a turn uses. */
export const knowledgeBaseIds = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 64 },
  maxItems: 50,
  uniqueItems: true,
  description: 'The knowledge bases that are searched',
  examples: [['kb_01KDVMF0000000000000000001']],
} as const

/** The JSON Schema of the connectors that lend a turn their tools. */
export const connectorIds = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 64 },
  maxItems: 50,
  uniqueItems: true,
  description: 'The connectors that lend their tools, besides those of the agent',
  examples: [['con_01KDVMF0000000000000000001']],
} as const

const settings = {
  description: { ...text(2000), examples: ['Reads tables and explains what they show'] },
  persona_mbti: {
    ...nullable(personaCode),
    description: 'The character; null for none',
    examples: personaCode.examples,
  },
  default_model: {
    ...text(512),
    description: 'As `<provider>:<model>`; null for the active model of the server',
    examples: ['openai:gpt-5'],
  },
  system_prompt: {
    ...text(100_000),
    description: 'Instructions for the model, after those of the persona',
    examples: ['Explain numbers in plain words. Show how you calculated them.'],
  },
  template_name: {
    ...text(128),
    description:
      'The id of an expert; its files are copied only when the agent is created, its welcome and examples apply also later',
  },
  is_shared: {
    type: 'boolean',
    description: 'True if it is shared with everyone: every account may open the agent',
    examples: [false],
  },
  icon: { ...text(256), description: 'For clients, such as the name of an icon or an emoji' },
  color: { ...text(64), description: 'For clients, such as `#4B7BEC`' },
  welcome_message: {
    ...text(10_000),
    description: 'The greeting of a new conversation; null for that of the expert',
  },
  config,
  knowledge_base_ids: {
    ...knowledgeBaseIds,
    description: 'The knowledge bases that its conversations search; its owner must be able to search them',
  },
} as const

/** The settings of a new agent, of which only the name is required. */
export const newAgent = objectOf({ name, ...settings }, ['name'])

/** The settings that an agent's owner chooses. An older agent's `config` may hold settings that no longer exist. */
export type AgentSettings = Omit<Required<TypeOf<typeof newAgent>>, 'config'> & {
  config: Record<string, unknown>
}

const time = { type: 'integer', description: 'Unix seconds' } as const

const { system_prompt, config: _, welcome_message, knowledge_base_ids, ...listedSettings } = settings

const listed = {
  id: { type: 'string' },
  name: { type: 'string', examples: ['numbers'] },
  ...listedSettings,
  template_name: { ...listedSettings.template_name, examples: ['data-analyst'] },
  icon: { ...listedSettings.icon, examples: ['chart-column'] },
  color: { ...listedSettings.color, examples: ['#4B7BEC'] },
  is_owner: { type: 'boolean', description: 'True if the agent belongs to the caller' },
  can_edit: { type: 'boolean', description: 'True if the caller may change its settings' },
  owner: { type: 'string', description: 'Username', examples: ['ada'] },
  state: {
    title: 'AgentState',
    enum: ['stopped', 'starting', 'running', 'stopping', 'failed'],
    description: 'Only a running agent takes turns',
    examples: ['running'],
  },
  last_error: {
    ...nullable({ type: 'string' }),
    description: 'The reason why the state is `failed`',
    examples: [null],
  },
  unread_count: {
    type: 'integer',
    minimum: 0,
    description: "The agent's replies that the caller has not read",
    examples: [2],
  },
  ...managedRow,
  created_at: time,
  updated_at: time,
} as const

/** An agent in a list. */
export const listedAgentRow = { title: 'ListedAgent', ...rowOf(listed) } as const

/** An agent as the API shows it; without `system_prompt`, `config` and `knowledge_base_ids` to users that it is only shared with. */
export const agentRow = {
  title: 'Agent',
  ...rowOf(
    {
      ...listed,
      system_prompt,
      config: {
        type: 'object',
        description: 'May hold settings that no longer exist, if the agent is old',
        examples: [{ temperature: 0.3, max_steps: 25 }],
      },
      welcome_message: { ...welcome_message, examples: ['Hello! Send me a table.'] },
      knowledge_base_ids,
    },
    ['system_prompt', 'config', 'knowledge_base_ids'],
  ),
} as const
