import { isObject } from './json-object.ts'

/** Applies a JSON Merge Patch (RFC 7396): objects are merged, null removes a field, everything else replaces it. */
export function mergePatch(target: unknown, patch: Record<string, unknown>): Record<string, unknown> {
  const merged = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = isObject(value) ? mergePatch(merged[name], value) : value
  }
  return merged
}
