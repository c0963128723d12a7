const MAX_DEPTH = 40
const MAX_CHARACTERS = 262_144

/** Makes text storable as it is shown: half of a surrogate pair would change in the database. */
export const wellFormed = (text: string): string =>
  (text as unknown as { toWellFormed(): string }).toWellFormed()

/** Makes any JSON value storable as it is shown: bounded in depth, with names and text that the database keeps. */
export function storable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return wellFormed(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) return '…'
  if (Array.isArray(value)) return value.map((part) => storable(part, depth + 1))
  const isReference = Object.hasOwn(value, '$ref') && Object.hasOwn(value, '$id')
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [nameOf(name, isReference), storable(part, depth + 1)]),
  )
}

/** Bounds a JSON value: of one that is too long, only its length is left. */
export function bounded(value: unknown): unknown {
  const size = JSON.stringify(value)?.length ?? 0
  return size > MAX_CHARACTERS ? { omitted: `${size} characters` } : value
}

/** A field's name; by two of them the database's client would take the object for something else. */
function nameOf(name: string, isReference: boolean): string {
  const kept = wellFormed(name).replaceAll('\0', '')
  return kept === '_bsontype' || (isReference && kept === '$ref') ? `${kept} ` : kept
}
