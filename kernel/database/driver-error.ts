/**
 * True if an error is of one of these classes of the database driver, by name: commands without a database would load
 * the driver for it, which takes a tenth of a second.
 */
export function isDriverError(error: unknown, names: readonly string[]): boolean {
  let kind: unknown = (error as object | null | undefined)?.constructor
  while (typeof kind === 'function') {
    if (names.includes(kind.name)) return true
    kind = Object.getPrototypeOf(kind)
  }
  return false
}
