import { ConfigError } from './config.ts'
import { BUILT_IN, type EntryPlace, importDefault } from './discovery.ts'
import type { ExtensionPoints } from './types.ts'

/** A place where other plugins add something to the plugin that declares it. */
export interface ExtensionPoint<Entry = unknown> {
  /** What one entry is called in messages, e.g. `channel kind`. */
  noun: string
  /** The unique name of an entry; where there is none, each plugin adds one entry, under its own name. */
  nameOf?(entry: Entry): string
  /** Returns the entry if its form is right, else throws one sentence. What is built in is not checked. */
  check?(entry: unknown): Entry
  /** A folder beside `plugins/`, here and in the home, each of whose folders has an entry as its default export. */
  folder?: string
}

/** The entries of one extension point, each with the plugin or folder that added it. */
export interface Extensions<Entry> {
  get(name: string): Entry | undefined
  list(): Entry[]
  names(): string[]
  owner(name: string): string | undefined
}

/** The entries of every extension point, by its name. */
export type AllExtensions = { readonly [Name in keyof ExtensionPoints]: Extensions<ExtensionPoints[Name]> }

/** Lists entries under their names, or under their owners' where they have none, without those of plugins that `failed`. */
export function createExtensions<Entry>(
  added: readonly { entry: Entry; owner: string }[],
  {
    nameOf,
    failed = new Set(),
  }: { nameOf?: (entry: Entry) => string; failed?: Pick<ReadonlySet<string>, 'has'> } = {},
): Extensions<Entry> {
  const byName = new Map(added.map((one) => [nameOf ? nameOf(one.entry) : one.owner, one]))
  const find = (name: string) => {
    const found = byName.get(name)
    return found && !failed.has(found.owner) ? found : undefined
  }
  const names = () => [...byName.keys()].filter(find)
  return {
    get: (name) => find(name)?.entry,
    list: () => names().map((name) => find(name)!.entry),
    names,
    owner: (name) => find(name)?.owner,
  }
}

/** What a folder or package adds to an extension point: its entry, an error, or neither where it is switched off. */
export interface FolderEntry extends Omit<EntryPlace, 'locate'> {
  /** How messages name it, e.g. `channels/irc`. */
  owner: string
  version: string
  value?: unknown
  error?: Error
}

/** Imports what a folder or package adds and checks its form. */
export async function loadEntry(place: EntryPlace, { check, folder }: ExtensionPoint): Promise<FolderEntry> {
  const { name, source, point, locate } = place
  const isOwn = source === BUILT_IN
  const owner = source.includes('/') || isOwn ? `${folder}/${name}` : source
  const row = { name, source, point, owner, version: '' }
  try {
    const { file, version } = locate()
    row.version = version
    const candidate = await importDefault(file)
    return { ...row, value: check && !isOwn ? check(candidate) : candidate }
  } catch (cause) {
    const message = `${owner} (${source}) failed to load: ${(cause as Error).message}`
    return { ...row, error: new ConfigError(message, { cause }) }
  }
}
