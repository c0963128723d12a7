/** The most artifacts, and the most sources, that a thread contains. */
export const MAX_REFERENCES = 200

/** Appends new artifacts or sources to a thread's own: each once by its key, the newest last, bounded. */
export const appendNewest = <Key extends string, Item extends Record<Key, string>>(
  items: readonly Item[],
  key: Key,
  added: readonly Item[],
): Item[] => {
  const latest = takeLatest(key, added)
  const keys = new Set(latest.map((item) => item[key]))
  return [...items.filter((item) => !keys.has(item[key])), ...latest].slice(-MAX_REFERENCES)
}

/** Returns the newest items that together take at most `bytes` as JSON. */
export function takeNewest<Item>(items: readonly Item[], bytes: number): Item[] {
  let first = items.length
  for (let left = bytes; first > 0; first -= 1) {
    left -= Buffer.byteLength(JSON.stringify(items[first - 1]))
    if (left < 0) break
  }
  return items.slice(first)
}

const takeLatest = <Key extends string, Item extends Record<Key, string>>(
  key: Key,
  added: readonly Item[],
): Item[] => [...new Map(added.map((item) => [item[key], item])).values()]

/** Like `appendNewest`, as a database expression for a field of the thread. */
export const toAppendNewest = <Key extends string>(
  field: string,
  key: Key,
  added: readonly Record<Key, string>[],
) => {
  const latest = takeLatest(key, added)
  const keys = latest.map((item) => item[key])
  const others = {
    $filter: { input: `$${field}`, cond: { $not: { $in: [`$$this.${key}`, { $literal: keys }] } } },
  }
  return { $slice: [{ $concatArrays: [others, { $literal: latest }] }, -MAX_REFERENCES] }
}
