const MAX_DEPTH = 40
const MAX_CHARACTERS = 262_144

/**
 * Sanitizes a JSON value for storage: bounds its depth, and replaces names and lone surrogates, which the database would
 * change, so that text is stored as it is shown.
 */
export function sanitizeForStorage(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) return '…'
  if (Array.isArray(value)) return value.map((part) => sanitizeForStorage(part, depth + 1))
  const isReference = Object.hasOwn(value, '$ref') && Object.hasOwn(value, '$id')
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      sanitizeName(name, isReference),
      sanitizeForStorage(part, depth + 1),
    ]),
  )
}

/** Bounds a JSON value; a value that is too long is replaced by its length. */
export function boundJson(value: unknown): unknown {
  const size = JSON.stringify(value)?.length ?? 0
  return size > MAX_CHARACTERS ? { omitted: `${size} characters` } : value
}

/** Sanitizes a field name; with some names the driver would take the object for a BSON type. */
function sanitizeName(name: string, isReference: boolean): string {
  const cleanName = name.toWellFormed().replaceAll('\0', '')
  return cleanName === '_bsontype' || (isReference && cleanName === '$ref') ? `${cleanName} ` : cleanName
}
