import type { Plugin } from '#kernel'

type Extend = (point: string, entry: unknown) => void

/** Lists the entries that a plugin adds to an extension point. */
export function listEntries(plugin: Plugin, point: string): unknown[] {
  const entries: unknown[] = []
  const extend: Extend = (name, entry) => {
    if (name === point) entries.push(entry)
  }
  // Everything else of the host, and what that returns: nobody uses it here.
  const anything: object = new Proxy(() => undefined, { get: () => anything, apply: () => anything })
  plugin.setup(new Proxy({}, { get: (_, word) => (word === 'extend' ? extend : anything) }) as never)
  return entries
}

/** Returns a plugin with the entries that it adds to an extension point changed. */
export const mapEntries = (plugin: Plugin, point: string, change: (entry: unknown) => unknown): Plugin => ({
  ...plugin,
  setup(host: never) {
    const words = host as Record<string | symbol, unknown> & { extend: Extend }
    const changing = new Proxy(words, {
      get: (_, word) =>
        word === 'extend'
          ? (name: string, entry: unknown) => words.extend(name, name === point ? change(entry) : entry)
          : words[word],
    })
    plugin.setup(changing as never)
  },
})
