import { ConfigError } from './config.ts'
import type { Plugin } from './plugin.ts'

/**
 * Puts plugins after those they depend on, otherwise in the order given; a cycle is refused as `a -> b -> a`, and so
 * is a dependency that is neither here nor `absent`.
 */
export function orderByDependency<Item extends { value: Plugin }>(
  items: readonly Item[],
  absent: ReadonlyMap<string, unknown>,
): Item[] {
  const byName = new Map(items.map((item) => [item.value.name, item]))
  const ordered = new Set<Item>()
  const visit = (item: Item, path: string[]) => {
    const { name, depends = [] } = item.value
    if (ordered.has(item)) return
    if (path.includes(name))
      throw new ConfigError(
        `plugins depend on each other: ${[...path.slice(path.indexOf(name)), name].join(' -> ')}`,
      )
    for (const wanted of depends) {
      if (absent.has(wanted)) continue
      const dependency = byName.get(wanted)
      if (!dependency) throw new ConfigError(`plugin "${name}" depends on "${wanted}", which there is not`)
      visit(dependency, [...path, name])
    }
    ordered.add(item)
  }
  for (const item of items) visit(item, [])
  return [...ordered]
}
