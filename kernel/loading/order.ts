import { ConfigError } from '../errors.ts'
import type { Candidate } from './selection.ts'

/**
 * Puts plugins after those they depend on, otherwise in the order given. Plugins that depend on each other, or on one
 * that is neither here nor `absent`, come with the reason instead: a circle is written as `a -> b -> a`.
 */
export function orderByDependency<Item extends Pick<Candidate, 'name' | 'depends'>>(
  items: readonly Item[],
  absent: ReadonlySet<string>,
): { ordered: Item[]; faults: Map<Item, ConfigError> } {
  const byName = new Map(items.map((item) => [item.name, item]))
  const ordered = new Set<Item>()
  const faults = new Map<Item, ConfigError>()
  const visit = (item: Item, path: string[]) => {
    const { name, depends } = item
    if (ordered.has(item) || faults.has(item)) return
    if (path.includes(name)) {
      const circle = path.slice(path.indexOf(name))
      const fault = new ConfigError(`plugins depend on each other: ${[...circle, name].join(' -> ')}`)
      for (const member of circle) faults.set(byName.get(member)!, fault)
      return
    }
    for (const dependencyName of depends) {
      if (absent.has(dependencyName)) continue
      const dependency = byName.get(dependencyName)
      if (dependency) visit(dependency, [...path, name])
      else
        faults.set(
          item,
          new ConfigError(`plugin "${name}" depends on "${dependencyName}", but no plugin has that name`),
        )
    }
    if (!faults.has(item)) ordered.add(item)
  }
  for (const item of items) visit(item, [])
  return { ordered: [...ordered], faults }
}
