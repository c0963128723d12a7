import { AppError, type Expert, type Issue, type Registry } from '#kernel'
import type { AgentSettings } from './types.ts'

const MAX_CONFIG_BYTES = 64 * 1024
const MAX_CONFIG_DEPTH = 16

/** Words that take the place of a name in the paths of routes. */
const RESERVED_NAMES = new Set(['from-expert'])

/** Settings as they are stored: the name trimmed. Throws VALIDATION_FAILED for what no schema can tell. */
export function normalizeSettings<Settings extends Partial<AgentSettings>>(
  settings: Settings,
  experts: Registry<Expert>,
): Settings {
  const { name, template_name, config } = settings
  if (template_name && !experts.get(template_name)) {
    const ids = experts.list().map(({ id }) => id)
    throw invalid('/template_name', 'enum', `must be one of: ${ids.join(', ')}`)
  }
  if (config) assertStorable(config)
  if (name === undefined) return settings
  if (RESERVED_NAMES.has(name.trim())) throw invalid('/name', 'reserved', 'is reserved: choose another name')
  return { ...settings, name: name.trim() }
}

/** The database keeps documents only of names that it does not take for operators or paths. */
function assertStorable(config: Record<string, unknown>): void {
  const visit = (value: unknown, path: string, depth: number) => {
    if (typeof value !== 'object' || value === null) return
    if (depth > MAX_CONFIG_DEPTH)
      throw invalid(path, 'maxDepth', `must be at most ${MAX_CONFIG_DEPTH} levels deep`)
    for (const [key, child] of Object.entries(value)) {
      if (/^\$|[.\0]/.test(key))
        throw invalid(path, 'propertyNames', 'must have no key that starts with $ or holds a dot or NUL')
      visit(child, `${path}/${key.slice(0, 64)}`, depth + 1)
    }
  }
  visit(config, '/config', 1)
  if (Buffer.byteLength(JSON.stringify(config)) > MAX_CONFIG_BYTES)
    throw invalid('/config', 'maxLength', `must be at most ${MAX_CONFIG_BYTES} bytes of JSON`)
}

const invalid = (path: string, rule: string, message: string) =>
  new AppError('VALIDATION_FAILED', { issues: [{ path, rule, message } satisfies Issue] })
