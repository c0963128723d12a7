import {
  type AgentSettings,
  AppError,
  type Expert,
  type Extensions,
  type Managed,
  type Shared,
  type TypeOf,
} from '#plugin-api'
import type { newlyPublishedExpert, publishedExpertDetail } from './schemas.ts'
import { hasSecret } from './secret-scan.ts'

type PublishedExpertDetail = TypeOf<typeof publishedExpertDetail>

/**
 * An agent's workspace and character that its owner published; everybody's without a list of grants. Its files are stored
 * below `<home>/experts/<id>`; times are Unix seconds.
 */
export interface PublishedExpertDocument
  extends Omit<
      PublishedExpertDetail,
      | 'id'
      | 'expert_id'
      | 'icon'
      | 'color'
      | 'missing'
      | 'is_owner'
      | 'can_edit'
      | 'managed_by'
      | 'managed_file'
    >,
    Character,
    Managed,
    Shared {
  _id: string
  created_by_id: string
  /** The model of an installed copy, if its owner may use it. */
  default_model?: string | null
}

/** A published expert in a list. */
export type PublishedExpertSummary = Omit<
  PublishedExpertDocument,
  'files' | 'system_prompt' | 'welcome_message' | 'config'
>

/** A file of a workspace that was not published although somebody may need it. */
export type LeftOut = TypeOf<typeof newlyPublishedExpert>['left_out'][number]

declare module '#kernel/types' {
  interface Collections {
    experts: {
      published_experts: PublishedExpertDocument
    }
  }
}

/** The settings that define an agent regardless of its owner. Older experts have no `config`. */
export type Character = Pick<
  AgentSettings,
  'welcome_message' | 'system_prompt' | 'persona_mbti' | 'template_name' | 'icon' | 'color'
> &
  Partial<Pick<AgentSettings, 'config'>>

/** The fields that the entity tag of a published expert is made from. */
export const expertFields = [
  'name',
  'description',
  'default_model',
  'welcome_message',
  'system_prompt',
  'persona_mbti',
  'template_name',
  'icon',
  'color',
  'config',
] as const

/** The keys of a config that are published. Each owner decides which tools need no approval. */
const PUBLISHED_CONFIG = [
  'temperature',
  'top_p',
  'max_output_tokens',
  'max_steps',
  'reasoning',
  'tools_with_approval',
] as const

/** Picks the publishable character of an agent or of a published expert. */
export function pickCharacter({
  welcome_message,
  system_prompt,
  persona_mbti,
  template_name,
  icon,
  color,
  config = {},
}: Character): Required<Character> {
  const published = PUBLISHED_CONFIG.flatMap((key) => (key in config ? [[key, config[key]]] : []))
  const character = { welcome_message, system_prompt, persona_mbti, template_name, icon, color }
  return { ...character, config: Object.fromEntries(published) }
}

/** Returns a character that a new agent can have: without a template that no plugin provides any more. */
export function toInstallable(character: Character, templates: Extensions<Expert>): Required<Character> {
  const { template_name, ...rest } = pickCharacter(character)
  return { ...rest, template_name: templates.get(template_name ?? '') ? template_name : null }
}

/** Throws SECRET_IN_SETTINGS with the name of the first field that seems to hold a secret. */
export async function assertNoSecret(settings: Partial<AgentSettings>): Promise<void> {
  for (const [field, value] of Object.entries(settings)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (text && (await hasSecret(text))) throw new AppError('SECRET_IN_SETTINGS', { field })
  }
}
