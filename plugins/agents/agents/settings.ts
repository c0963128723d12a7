import {
  type AgentSettings,
  AppError,
  type Expert,
  type Extensions,
  type Issue,
  type Locale,
} from '#plugin-api'

/** Words that routes have in place of an agent's name. */
const RESERVED_NAMES = new Set(['from-expert'])

/** Trims the name for storage. Throws VALIDATION_FAILED for an unknown template and a reserved name. */
export function normalizeSettings<Settings extends Partial<AgentSettings>>(
  settings: Settings,
  experts: Extensions<Expert>,
): Settings {
  const { name, template_name } = settings
  if (template_name && !experts.get(template_name)) {
    const ids = experts.list().map(({ id }) => id)
    throw invalid('/template_name', 'enum', `must be one of: ${ids.join(', ')}`)
  }
  if (name === undefined) return settings
  if (RESERVED_NAMES.has(name.trim())) throw invalid('/name', 'reserved', 'is reserved: choose another name')
  return { ...settings, name: name.trim() }
}

const invalid = (path: string, rule: string, message: string) =>
  new AppError('VALIDATION_FAILED', { issues: [{ path, rule, message } satisfies Issue] })

/** Returns the settings that a template provides for a new agent. */
export function readTemplate(
  { description, welcome_message, icon, color }: Expert,
  locale: Locale,
): Partial<AgentSettings> {
  return { description: description[locale], welcome_message: welcome_message[locale], icon, color }
}
