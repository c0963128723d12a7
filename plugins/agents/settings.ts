import { AppError, type Extensions, type Issue } from '#kernel'
import type { AgentSettings, Expert } from '#plugin-api'

/** Words that take the place of a name in the paths of routes. */
const RESERVED_NAMES = new Set(['from-expert'])

/** Settings as they are stored: the name trimmed. Throws VALIDATION_FAILED for what no schema can tell. */
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
