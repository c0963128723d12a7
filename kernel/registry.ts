import { ConfigError } from './config.ts'

/** Entries of one sort under unique names, each with the plugin that brought it. */
export interface Registry<Entry> {
  get(name: string): Entry | undefined
  list(): Entry[]
  /** The plugin or folder that brought the entry. */
  owner(name: string): string | undefined
}

/** A registry that is still open to additions; `nameOf` gives the name an entry goes by. */
export interface OpenRegistry<Entry> extends Registry<Entry> {
  add(entry: Entry, owner: string): void
}

/** Makes an empty registry; a name used twice is refused with both owners named. */
export function createRegistry<Entry>(sort: string, nameOf: (entry: Entry) => string): OpenRegistry<Entry> {
  const entries = new Map<string, { entry: Entry; owner: string }>()
  return {
    add(entry, owner) {
      const name = nameOf(entry)
      const taken = entries.get(name)
      if (taken) throw new ConfigError(`${sort} "${name}" is declared by both ${taken.owner} and ${owner}`)
      entries.set(name, { entry, owner })
    },
    get: (name) => entries.get(name)?.entry,
    list: () => [...entries.values()].map(({ entry }) => entry),
    owner: (name) => entries.get(name)?.owner,
  }
}
