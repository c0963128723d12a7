import { isAbsolute } from 'node:path'
import {
  AppError,
  assertSchema,
  chooseLocale,
  compileFor,
  createFormCheck,
  type Expert,
  localizedText,
  type Tool,
} from '#plugin-api'
import type { Cradle } from './manifest.ts'

const toolName = { type: 'string', pattern: '^[a-zA-Z][a-zA-Z0-9_-]{0,63}$' } as const

const assertToolForm = createFormCheck<Tool>(
  {
    type: 'object',
    properties: {
      name: toolName,
      label: localizedText,
      description: { type: 'string', minLength: 1 },
      input_schema: { type: 'object' },
      disableable: { type: 'boolean' },
      opt_in: { const: true },
      top_level_only: { type: 'boolean' },
      delegates: { const: true },
      personal: { const: true },
      permission: { type: 'string' },
      same_rules_as: { type: 'string' },
      needsApproval: true,
      execute: true,
      forTurn: true,
    },
    required: ['name', 'label', 'description', 'input_schema', 'disableable', 'execute'],
    additionalProperties: false,
  },
  ['needsApproval', 'execute', 'forTurn'],
)

/** Checks the form of a tool that a plugin registers, and its schema. */
export function assertTool(candidate: unknown): Tool {
  const subject = `tool "${(candidate as { name?: unknown } | null)?.name}"`
  const tool = assertToolForm(candidate, subject)
  compileFor(subject, () => assertSchema(tool.input_schema))
  return tool
}

const texts = { type: 'array', items: { type: 'string', minLength: 1 } } as const

const needs = { type: 'array', items: toolName, uniqueItems: true } as const

const assertExpertForm = createFormCheck<Expert>(
  {
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,63}$' },
      label: localizedText,
      description: localizedText,
      welcome_message: localizedText,
      icon: { type: 'string' },
      color: { type: 'string', pattern: '^#[0-9a-fA-F]{6}$' },
      needs,
      quick_prompts: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            title: localizedText,
            description: localizedText,
            prompt: localizedText,
            asks_for_file: { type: 'boolean' },
            needs,
          },
          required: ['title', 'description', 'prompt'],
          additionalProperties: false,
        },
      },
      task_examples: {
        type: 'object',
        properties: { en: texts, zh: texts },
        required: ['en', 'zh'],
        additionalProperties: false,
      },
      files: { type: 'string' },
    },
    required: [
      'id',
      'label',
      'description',
      'welcome_message',
      'icon',
      'color',
      'quick_prompts',
      'task_examples',
      'files',
    ],
    additionalProperties: false,
  },
  [],
)

/** Checks the form of an expert that a plugin registers. */
export function assertExpert(candidate: unknown): Expert {
  const subject = `expert "${(candidate as { id?: unknown } | null)?.id}"`
  const expert = assertExpertForm(candidate, subject)
  if (!isAbsolute(expert.files)) throw new Error(`${subject} is not valid: /files must be an absolute path`)
  return expert
}

const NAME = 'assistant'
const TEMPLATE = 'general-assistant'

/** Creates the assistant of a new account, unless the account already has an agent of that name. */
export async function createDefaultAssistant(
  { user_id }: { user_id: string },
  { agents, extensions, users }: Pick<Cradle, 'agents' | 'extensions' | 'users'>,
): Promise<void> {
  const user = await users.find(user_id)
  if (!user) return
  const template_name = extensions['agents.experts'].get(TEMPLATE) ? TEMPLATE : null
  const locale = chooseLocale(undefined, user.locale)
  try {
    await agents.create({ id: user._id, username: user.username }, { name: NAME, template_name }, { locale })
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'AGENT_NAME_TAKEN')) throw error
  }
}
