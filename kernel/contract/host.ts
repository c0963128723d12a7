import type { IndexDescription } from 'mongodb'
import { assertMigration, type Migration } from '../database/migrations.ts'
import type { ErrorCode } from '../errors.ts'
import { AppError } from '../errors.ts'
import { type BoundedFetch, createBoundedFetch } from '../http/bounded-fetch.ts'
import { askForNearest } from '../nearest-name.ts'
import type { UsageCounter } from '../security/limits.ts'
import type { SealedPurposes } from '../security/sealed-fields.ts'
import type { Collections, Events, GuardContexts, PrivateServices, Services } from './additions.ts'
import { assertCommand, type Command, type CommandArgument } from './command.ts'
import type { Cradle, Member } from './cradle.ts'
import type { ExtensionPoints } from './extension-points.ts'
import type { ExtensionPoint } from './extensions.ts'
import { assertGuard, type Guard } from './guard.ts'
import { confine } from './isolation.ts'
import { assertJob, type Job } from './job.ts'
import { assertPages, type Pages } from './pages.ts'
import type { Manifest } from './plugin.ts'
import { assertRoute, type Route } from './route.ts'
import { assertSocket, type Socket } from './socket.ts'

/** The words with which a plugin declares what it brings. Everything runs later, or never if only the declarations are read. */
export interface Host<Of extends Manifest = Manifest> {
  /** The plugin's cradle, for functions that are called without it, such as `execute` of a tool; it exists once setup is over. */
  readonly cradle: Cradle<Of>
  /** A service that dependent plugins may use; made once, on first use. */
  provide<Name extends keyof Member<Services, Of['name']> & string>(
    name: Name,
    factory: (cradle: Cradle<Of>) => Member<Services, Of['name']>[Name],
  ): void
  /** A service that only this plugin uses; made once, on first use. */
  service<Name extends keyof Member<PrivateServices, Of['name']> & string>(
    name: Name,
    factory: (cradle: Cradle<Of>) => Member<PrivateServices, Of['name']>[Name],
  ): void
  /** A collection that this plugin owns; its indexes are made before any plugin starts. */
  collection(
    name: keyof Member<Collections, Of['name']> & string,
    options?: Partial<CollectionDeclaration>,
  ): void
  /** A change of this plugin's stored data; the data has the version of the last one that ran. */
  migration(migration: Migration<Cradle<Of>>): void
  guard<Name extends keyof GuardContexts>(name: Name, guard: Guard<Name, Cradle<Of>>): void
  /** Counts how much of a limit of its manifest an account has used. */
  limit(
    name: keyof NonNullable<Of['limits']> & string,
    count: (cradle: Cradle<Of>, account_id: string) => ReturnType<UsageCounter>,
  ): void
  routes(routes: readonly Route<Cradle<Of>>[]): void
  socket(socket: Socket<Cradle<Of>>): void
  /** Files that browsers load, outside of `/api`. */
  pages(pages: Pages<Cradle<Of>>): void
  on<Name extends keyof Events>(
    event: Name,
    listener: (payload: Events[Name], cradle: Cradle<Of>) => unknown,
  ): void
  job(job: Job<Cradle<Of>>): void
  command<const Arguments extends readonly CommandArgument[] = []>(
    command: Command<Cradle<Of>, Arguments>,
  ): void
  /** A place where others add something to this plugin; its name begins with this plugin's name and a dot. */
  extensionPoint<Name extends keyof ExtensionPoints>(
    name: Name,
    point: ExtensionPoint<ExtensionPoints[Name]>,
  ): void
  /** Adds something to a plugin; without effect while that plugin is off. */
  extend<Name extends keyof ExtensionPoints>(point: Name, entry: EntryOf<ExtensionPoints[Name], Of>): void
  /** A check that throws while the plugin cannot do its work; shown by /api/health. */
  health(check: (cradle: Cradle<Of>) => unknown): void
  /** A line of `svc doctor`: what was found, or thrown, what is wrong. The cradle has no collections. */
  check(name: string, look: (cradle: Cradle<Of>) => string | Promise<string>): void
  /**
   * Fetches an address that a user chose: public ones, and the hosts of `plugins.<name>.allow_hosts`, which
   * SVC_ALLOW_HOSTS sets; after setup only.
   */
  fetch: BoundedFetch
  /** An error of some plugin's table. */
  error(
    code: ErrorCode | (keyof NonNullable<Of['errors']> & string),
    details?: Record<string, unknown>,
  ): AppError
}

/** An entry as a plugin adds it to an extension point: a function also receives the plugin's cradle. */
type EntryOf<Entry, Of extends Manifest> = Entry extends (question: infer Question) => infer Answer
  ? (question: Question, cradle: Cradle<Of>) => Answer
  : Entry

/** A collection's indexes and sealed fields; `sealed` names the fields whose values are sealed, with their purposes. */
export interface CollectionDeclaration {
  indexes: IndexDescription[]
  /** In a purpose each document's id takes the place of `{_id}`. */
  sealed: SealedPurposes
}

/** Everything that one plugin declared. */
export interface Declarations {
  /** Sets `host.cradle`. */
  bind(cradle: unknown): void
  /** Ends the declarations: the words of the host throw from now on. */
  close(): void
  /** With those that are provided. */
  services: Map<string, (cradle: never) => unknown>
  provided: Set<string>
  collections: Map<string, CollectionDeclaration>
  /** In order of their numbers. */
  migrations: Migration[]
  guards: Map<string, Guard>
  limits: Map<string, (cradle: never, account_id: string) => ReturnType<UsageCounter>>
  routes: Route[]
  sockets: Socket[]
  pages: Pages[]
  listeners: { event: keyof Events; listener: (payload: never, cradle: never) => unknown }[]
  jobs: Job[]
  commands: Command[]
  points: Map<string, ExtensionPoint>
  extensions: { point: string; entry: unknown }[]
  health: ((cradle: never) => unknown)[]
  checks: { name: string; look: (cradle: never) => string | Promise<string> }[]
}

/** Makes the host that is handed to one plugin's `setup`, and the record that it fills. */
export function createHost(
  plugin: string,
  { isBuiltIn = false } = {},
): { host: Host; declarations: Declarations } {
  let cradle: unknown
  let boundedFetch: BoundedFetch | undefined
  let isClosed = false
  const declarations: Declarations = {
    bind(bound) {
      cradle = bound
    },
    services: new Map(),
    provided: new Set(),
    collections: new Map(),
    migrations: [],
    guards: new Map(),
    limits: new Map(),
    routes: [],
    sockets: [],
    pages: [],
    listeners: [],
    jobs: [],
    commands: [],
    points: new Map(),
    extensions: [],
    health: [],
    checks: [],
    close() {
      isClosed = true
    },
  }
  const host: Host = {
    get cradle() {
      if (cradle === undefined)
        throw new Error('host.cradle does not exist before the setup of every plugin is over')
      return cradle as Host['cradle']
    },
    provide: (name: string, factory) => {
      setOnce(declarations.services, 'service', name, factory)
      declarations.provided.add(name)
    },
    service: (name, factory) => setOnce(declarations.services, 'service', name, factory),
    collection: (name: string, { indexes = [], sealed = {} } = {}) =>
      setOnce(declarations.collections, 'collection', name, { indexes, sealed }),
    migration: (migration) => {
      const { number } = assertMigration(migration, `migration ${migration.number}`)
      const next = declarations.migrations.push(migration)
      if (number !== next) throw new Error(`its migration ${number} must have the number ${next}`)
    },
    guard: (name, guard) => setOnce(declarations.guards, 'guard', name, assertGuard(guard, `guard ${name}`)),
    limit: (name: string, count) => setOnce(declarations.limits, 'limit', name, count),
    routes: (routes) => {
      for (const route of routes)
        declarations.routes.push(assertRoute(route, `route ${route.method} ${route.path}`))
    },
    socket: (socket) => void declarations.sockets.push(assertSocket(socket, `socket ${socket.path}`)),
    pages: (pages) => void declarations.pages.push(assertPages(pages, `pages ${pages.path}`, isBuiltIn)),
    on: (event, listener) => void declarations.listeners.push({ event, listener }),
    job: (job) => void declarations.jobs.push(assertJob(job, `job ${job.name}`)),
    command: (command) => void declarations.commands.push(assertCommand(command, `command ${command.name}`)),
    extensionPoint: (name: string, point) => {
      if (!name.startsWith(`${plugin}.`))
        throw new Error(`the name of its extension point "${name}" must begin with "${plugin}."`)
      setOnce(declarations.points, 'extension point', name, point as ExtensionPoint)
    },
    extend: (point, entry) => void declarations.extensions.push({ point, entry }),
    health: (check) => void declarations.health.push(check),
    check: (name, look) => void declarations.checks.push({ name, look }),
    fetch(url, init) {
      if (cradle === undefined)
        throw new Error('host.fetch works after setup only: call it in start, a handler or a job')
      const { config } = cradle as { config: { allow_hosts?: string[] } }
      boundedFetch ??= createBoundedFetch(config.allow_hosts ?? [])
      return boundedFetch(url, init)
    },
    error: (code, details) => new AppError(code as ErrorCode, details),
  }
  return { host: guardWords(host, { isBuiltIn, plugin, isClosed: () => isClosed }), declarations }
}

/** The words that work after setup. */
const LASTING_WORDS = new Set<string | symbol>(['cradle', 'error', 'fetch'])

/**
 * Returns the host with words that throw after setup, however they were kept. The functions that a plugin from outside
 * declares run as the plugin's; a word that the host does not have, e.g. one of a former version, is refused in a sentence.
 */
const guardWords = (
  host: Host,
  { isBuiltIn, plugin, isClosed }: { isBuiltIn: boolean; plugin: string; isClosed: () => boolean },
) =>
  new Proxy(host, {
    get(words, name) {
      if (LASTING_WORDS.has(name)) return words[name as keyof Host]
      if (!Object.hasOwn(words, name))
        throw new Error(
          `the host has no "${String(name)}"${askForNearest(String(name), Object.keys(words)) || '; host.extend(point, entry) adds to other plugins, and "svc plugins" lists the points'}`,
        )
      const declare = words[name as keyof Host] as (...args: unknown[]) => void
      return (...args: unknown[]) => {
        if (isClosed()) throw new Error(`host.${String(name)} declares nothing after setup: call it in setup`)
        declare(...(isBuiltIn ? args : confine(plugin, args)))
      }
    },
  })

function setOnce<Name extends string, Value>(
  declared: Map<Name, Value>,
  kind: string,
  name: Name,
  value: Value,
): void {
  if (declared.has(name)) throw new Error(`${kind} "${name}" is declared twice`)
  declared.set(name, value)
}
