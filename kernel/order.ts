/** What ordering needs to know of a plugin. */
export interface Ordered {
  name: string
  depends?: readonly string[]
}

/** Puts dependencies before their dependents, otherwise in the order given; a cycle is refused as `a -> b -> a`. */
export function orderByDependency<Item extends Ordered>(items: readonly Item[]): Item[] {
  const byName = new Map(items.map((item) => [item.name, item]))
  const ordered = new Set<Item>()
  const visit = (item: Item, path: string[]) => {
    if (ordered.has(item)) return
    if (path.includes(item.name))
      throw new Error(
        `plugins depend on each other: ${[...path.slice(path.indexOf(item.name)), item.name].join(' -> ')}`,
      )
    for (const name of item.depends ?? []) {
      const dependency = byName.get(name)
      if (!dependency) throw new Error(`plugin "${item.name}" depends on "${name}", which there is not`)
      visit(dependency, [...path, item.name])
    }
    ordered.add(item)
  }
  for (const item of items) visit(item, [])
  return [...ordered]
}

/** Splits items into those that can run and those left out because something they depend on is, with the reason. */
export function leaveOut<Item extends Ordered>(
  items: readonly Item[],
  absent: ReadonlyMap<string, string>,
): { present: Item[]; absent: Map<string, string> } {
  const reasons = new Map(absent)
  for (let before = -1; before !== reasons.size; ) {
    before = reasons.size
    for (const { name, depends = [] } of items) {
      const missing = depends.find((dependency) => reasons.has(dependency))
      if (missing && !reasons.has(name)) reasons.set(name, `needs ${missing}, which is off`)
    }
  }
  return { present: items.filter(({ name }) => !reasons.has(name)), absent: reasons }
}
