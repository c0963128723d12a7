/** How many examples are shown where there are enough of them for either. */
const FEW = 3
const MANY = 6

/** Brings a list to 3 items, or to 6 where it has so many; what it lacks is taken from `spares`, nothing twice. */
export function normalizeExamples(examples: readonly string[], spares: readonly string[]): string[] {
  const own = new Set(examples)
  return [...new Set([...own, ...spares])].slice(0, own.size < MANY ? FEW : MANY)
}
