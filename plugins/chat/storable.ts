const MAX_DEPTH = 40
const MAX_CHARACTERS = 262_144

/** Makes text storable as it is shown: half of a surrogate pair would change in the database. */
export const wellFormed = (text: string): string =>
  (text as unknown as { toWellFormed(): string }).toWellFormed()

/** Makes any JSON value storable as it is shown: bounded in size and depth, with names and text the database keeps. */
export function storable(value: unknown): unknown {
  const copy = copyOf(value, 0)
  const size = JSON.stringify(copy)?.length ?? 0
  return size > MAX_CHARACTERS ? { omitted: `${size} characters` } : copy
}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return wellFormed(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) return '…'
  if (Array.isArray(value)) return value.map((part) => copyOf(part, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      wellFormed(name).replaceAll('\0', ''),
      copyOf(part, depth + 1),
    ]),
  )
}
