import { nullable, objectOf, rowOf, type TypeOf } from '#kernel'
import { REASONING_LEVELS } from './provider-kind.ts'

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

const text = <const Length extends number>(maxLength: Length) =>
  ({ type: ['string', 'null'], maxLength }) as const

/** Any printable text without slashes; surrounding spaces are trimmed when it is stored. */
const name = {
  type: 'string',
  maxLength: 256,
  pattern: '^\\s*[^\\s/\\p{Cc}\\p{Cs}]([^/\\p{Cc}\\p{Cs}]{0,62}[^\\s/\\p{Cc}\\p{Cs}])?\\s*$',
  description: '1 to 64 characters, none of them a slash or a control character',
} as const

const toolNames = { type: 'array', items: { type: 'string', maxLength: 64 }, maxItems: 256 } as const

/** The settings of an agent's `config` for the calls of its models. */
export const modelSettings = objectOf({
  temperature: { type: 'number', minimum: 0, maximum: 2, description: 'Omitted for models that refuse it' },
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
    description: 'The limit of model calls in one turn, and in each delegated task; 25 by default',
  },
  reasoning: {
    enum: REASONING_LEVELS,
    description: 'The amount of thinking, for models that support it; by default that of the provider',
  },
})

const config = objectOf({
  ...modelSettings.properties,
  tools_with_approval: {
    ...toolNames,
    description:
      'Names of tools whose calls always need approval by a person, even if the tool itself requires none',
  },
  tools_without_approval: {
    ...toolNames,
    description: 'Names of tools whose calls need no approval by a person',
  },
})

const settings = {
  description: text(2000),
  persona_mbti: { enum: [...PERSONA_CODES, null] },
  default_model: text(512),
  system_prompt: text(100_000),
  template_name: {
    ...text(128),
    description:
      'An expert; its files are copied only when the agent is created, its welcome and examples apply also later',
  },
  is_shared: { type: 'boolean' },
  icon: text(256),
  color: text(64),
  welcome_message: text(10_000),
  config,
} as const

/** The settings of a new agent, of which only the name is required. */
export const newAgent = objectOf({ name, ...settings }, ['name'])

/** The settings that an agent's owner chooses. An older agent's `config` may hold settings that no longer exist. */
export type AgentSettings = Omit<Required<TypeOf<typeof newAgent>>, 'config'> & {
  config: Record<string, unknown>
}

const time = { type: 'integer', description: 'Unix seconds' } as const

const { system_prompt, config: _, welcome_message, ...listedSettings } = settings

const listed = {
  id: { type: 'string' },
  name: { type: 'string' },
  ...listedSettings,
  is_owner: { type: 'boolean' },
  owner: { type: 'string', description: 'Username' },
  state: { enum: ['stopped', 'starting', 'running', 'stopping', 'failed'] },
  last_error: nullable({ type: 'string' }),
  unread_count: { type: 'integer', minimum: 0 },
  created_at: time,
  updated_at: time,
} as const

/** An agent in a list. */
export const listedAgentRow = { title: 'ListedAgent', ...rowOf(listed) } as const

/** An agent as the API shows it; without `system_prompt` and `config` to users that it is only shared with. */
export const agentRow = {
  title: 'Agent',
  ...rowOf(
    {
      ...listed,
      system_prompt,
      config: { type: 'object', description: 'May hold settings that no longer exist, if the agent is old' },
      welcome_message,
    },
    ['system_prompt', 'config'],
  ),
} as const
