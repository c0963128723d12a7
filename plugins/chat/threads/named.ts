/** How many artifacts, and how many sources, a thread names. */
export const MOST_NAMED = 200

/** What a thread names already and what is new, each once by its key, the newest kept. */
export const withNewest = <Key extends string, Named extends Record<Key, string>>(
  named: readonly Named[],
  key: Key,
  added: readonly Named[],
): Named[] => {
  const latest = latestOf(key, added)
  const keys = new Set(latest.map((item) => item[key]))
  return [...named.filter((item) => !keys.has(item[key])), ...latest].slice(-MOST_NAMED)
}

/** The newest of them that together take at most so many bytes as JSON. */
export function newestWithin<Named>(named: readonly Named[], bytes: number): Named[] {
  let first = named.length
  for (let left = bytes; first > 0; first -= 1) {
    left -= Buffer.byteLength(JSON.stringify(named[first - 1]))
    if (left < 0) break
  }
  return named.slice(first)
}

const latestOf = <Key extends string, Named extends Record<Key, string>>(
  key: Key,
  added: readonly Named[],
): Named[] => [...new Map(added.map((named) => [named[key], named])).values()]

/** The same as an expression of the database, for a field of the thread. */
export const newestOf = <Key extends string>(
  field: string,
  key: Key,
  added: readonly Record<Key, string>[],
) => {
  const latest = latestOf(key, added)
  const keys = latest.map((named) => named[key])
  const others = {
    $filter: { input: `$${field}`, cond: { $not: { $in: [`$$this.${key}`, { $literal: keys }] } } },
  }
  return { $slice: [{ $concatArrays: [others, { $literal: latest }] }, -MOST_NAMED] }
}
