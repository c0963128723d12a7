import type { PluginRow } from './plugin-rows.ts'

/** Returns the table of what a plugin or kind provides, for people. */
export function toTable({ provides, extends: added, points, declares }: PluginRow): string[][] {
  const lists = {
    services: provides,
    ...declares,
    'extension points': Object.keys(points),
    extensions: added.map(({ point, name }) => `${name} (${point})`),
  }
  const parts = Object.entries(lists).filter(([, list]) => list.length > 0)
  return parts.length > 0 ? parts.map(([title, list]) => [`  ${title}`, list.join(', ')]) : [['  nothing']]
}
