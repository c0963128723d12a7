/** Creates a set of the last `limit` names that were added. */
export function createRecentSet(limit: number) {
  const names = new Set<string>()
  return {
    has: (name: string) => names.has(name),
    add(name: string) {
      names.delete(name)
      names.add(name)
      const [oldest] = names
      if (names.size > limit) names.delete(oldest!)
    },
    delete: (name: string) => names.delete(name),
  }
}
