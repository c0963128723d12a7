import { isObject, type Json, MASK } from '#plugin-api'

/** Returns changes without masks: the secret of a mask does not change. */
export function withoutMasks(changes: Json): Json {
  const entries = Object.entries(changes).filter(([, value]) => value !== MASK)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isObject(value) ? withoutMasks(value) : value]),
  )
}

/** Lists the paths of the values in changes, such as `a.b`. */
export const pathsIn = (changes: Json, path: string[] = []): string[] =>
  Object.entries(changes).flatMap(([name, value]) =>
    isObject(value) ? pathsIn(value, [...path, name]) : [[...path, name].join('.')],
  )
