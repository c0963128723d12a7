import { createHash } from 'node:crypto'

/** The most characters that every vendor accepts in a name. */
const MAX_NAME_CHARS = 64
const HASH_CHARS = 8

/** Maps names to names that match the pattern of a vendor, each to another one; names that match it stay. */
export function createNames(originals: Iterable<string>, pattern: RegExp) {
  const all = new Set(originals)
  const odd = [...all].filter((name) => !pattern.test(name))
  const changed = new Map<string, string>()
  const restored = new Map<string, string>()
  for (const name of odd) {
    const sent = makeUnique(toFittingName(name, pattern), (one) => all.has(one) || restored.has(one))
    changed.set(name, sent)
    restored.set(sent, name)
  }
  return {
    toSent: (name: string) => changed.get(name) ?? name,
    /** Returns the name that is sent as this one. */
    toOriginal: (sent: string) => restored.get(sent) ?? sent,
    /** The names that differ, with the names that are sent for them. */
    changed: changed as ReadonlyMap<string, string>,
  }
}

/** Names as a vendor accepts them. */
export type Names = ReturnType<typeof createNames>

/** Replaces what a vendor refuses in a name by underscores; a long or foreign name ends with its hash. */
function toFittingName(name: string, pattern: RegExp): string {
  const plain = name.replace(/./gsu, (char) => (pattern.test(`_${char}`) ? char : '_'))
  const fitting = pattern.test(plain.slice(0, 1)) ? plain : `_${plain}`
  if (fitting.length <= MAX_NAME_CHARS && /[a-zA-Z0-9]/.test(fitting)) return fitting
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARS)
  return `${fitting.slice(0, MAX_NAME_CHARS - HASH_CHARS - 1)}_${hash}`
}

function makeUnique(name: string, isTaken: (name: string) => boolean): string {
  let unique = name
  for (let n = 2; isTaken(unique); n += 1) {
    const suffix = `_${n}`
    unique = name.slice(0, MAX_NAME_CHARS - suffix.length) + suffix
  }
  return unique
}
