import { pathToFileURL } from 'node:url'
import { askForNearest } from '../nearest-name.ts'
import type { ExtensionPoints } from './extension-points.ts'

/** A place where other plugins add something to the plugin that declares it. */
export interface ExtensionPoint<Entry = unknown> {
  /** The word for one entry in messages, e.g. `channel kind`. */
  noun: string
  /** Returns the unique name of an entry of a plugin; without it, each plugin adds one entry, under its own name. */
  nameOf?(entry: Entry, owner: string): string
  /**
   * Returns the entry if its form is right, else throws one sentence; `folder` is that of the plugin or entry. What is
   * built in is not checked.
   */
  check?(entry: unknown, folder: string): Entry
  /** A folder beside `plugins/`, here and in the home, each of whose folders has an entry as its default export. */
  folder?: string
}

/** The entries of one extension point, each with the plugin or folder that added it. */
export interface Extensions<Entry> {
  get(name: string): Entry | undefined
  list(): Entry[]
  names(): string[]
  owner(name: string): string | undefined
  /** Returns the address of the module of the third-party plugin that added an entry, for another process to load. */
  module(name: string): string | undefined
  /** Returns the folder of the plugin that added an entry, and of its `package.json`. */
  folder(name: string): string | undefined
}

/** The functions of an extension point; each is called with the cradle of its own plugin besides. */
export interface Answers<Question, Answer> extends Extensions<(question: Question) => Answer> {
  /** Calls every function, in the order in which their plugins start; failures are gathered and thrown. */
  ask(question: Question): Promise<Awaited<Answer>[]>
}

/** The entries of every extension point, by its name. */
export type AllExtensions = {
  readonly [Name in keyof ExtensionPoints]: ExtensionPoints[Name] extends (
    question: infer Question,
  ) => infer Answer
    ? Answers<Question, Answer>
    : Extensions<ExtensionPoints[Name]>
}

/** An entry and the plugin or folder that added it. */
interface AddedEntry<Entry> {
  entry: Entry
  owner: string
  file?: string | undefined
  folder?: string | undefined
}

/** The plugins that failed; none recovers. */
export type FailedPlugins = Pick<ReadonlySet<string>, 'has' | 'size'>

/** Lists entries under their names, or under their owners' if they have none, without the entries of failed plugins. */
export function createExtensions<Entry>(
  added: readonly AddedEntry<Entry>[],
  {
    nameOf,
    failed = new Set(),
  }: { nameOf?: (entry: Entry, owner: string) => string; failed?: FailedPlugins } = {},
): Extensions<Entry> & { ask(question: unknown): Promise<unknown[]> } {
  const byName = new Map(added.map((one) => [nameOf ? nameOf(one.entry, one.owner) : one.owner, one]))
  let usable = new Map<string, Entry>()
  let failedBefore = -1
  /** Returns the entries by name; they are selected again only after another plugin has failed. */
  const select = () => {
    if (failedBefore === failed.size) return usable
    failedBefore = failed.size
    usable = new Map()
    for (const [name, { entry, owner }] of byName) if (!failed.has(owner)) usable.set(name, entry)
    return usable
  }
  return {
    get: (name) => select().get(name),
    list: () => [...select().values()],
    names: () => [...select().keys()],
    owner: (name) => (select().has(name) ? byName.get(name)!.owner : undefined),
    module(name) {
      const file = select().has(name) && byName.get(name)!.file
      return file ? pathToFileURL(file).href : undefined
    },
    folder: (name) => (select().has(name) ? byName.get(name)!.folder : undefined),
    async ask(question) {
      const answers: unknown[] = []
      const failures: unknown[] = []
      for (const answer of select().values() as Iterable<(question: unknown) => unknown>)
        try {
          answers.push(await answer(question))
        } catch (error) {
          failures.push(error)
        }
      if (failures.length > 1) throw new AggregateError(failures, `${failures.length} plugins failed`)
      if (failures.length === 1) throw failures[0]
      return answers
    },
  }
}

/** Returns the entries by the names of their points as properties; reading another name throws a sentence. */
export const namedExtensions = (byPoint: ReadonlyMap<string, object>): AllExtensions =>
  new Proxy(Object.fromEntries(byPoint) as unknown as AllExtensions, {
    get(points, name) {
      if (typeof name === 'symbol' || byPoint.has(name)) return Reflect.get(points, name)
      throw new Error(
        `no plugin that runs declares the extension point "${name}"${askForNearest(name, byPoint.keys())}`,
      )
    },
  })
