// Settings of plugins that could not be loaded, whose own declarations are unknown.
import type { JSONSchema } from '../schema.ts'
import type { LimitSpec } from '../security/limits.ts'

/** Accepts the numbers and texts among the limits in the file, any of which may belong to a broken plugin. */
export function acceptLimits({ limits }: Record<string, unknown>): Record<string, LimitSpec> {
  return Object.fromEntries(
    Object.entries(Object(limits)).flatMap(([name, value]) =>
      typeof value === 'number' || typeof value === 'string'
        ? [[name, { default: value, description: 'A limit of a plugin that cannot be loaded' }]]
        : [],
    ),
  )
}

/** Accepts, and masks, the settings in the file of a plugin that could not be loaded, so that they do not stop the start. */
export function acceptSettings(
  { plugins }: Record<string, unknown>,
  name: string,
): Record<string, JSONSchema> {
  const { enabled, required, ...settings } = Object((plugins as Record<string, unknown> | undefined)?.[name])
  return Object.fromEntries(Object.keys(settings).map((key) => [key, { writeOnly: true }]))
}
