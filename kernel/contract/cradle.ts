import type { IncomingHttpHeaders } from 'node:http'
import type { Collection, Document } from 'mongodb'
import type { Clock } from '../clock.ts'
import type { ErrorDescriber, ErrorExplainer } from '../http/error-reply.ts'
import type { Ids } from '../ids.ts'
import type { Logger } from '../log.ts'
import type { TypeOf } from '../schema.ts'
import type { Limits } from '../security/limits.ts'
import type { Secrets } from '../security/secrets.ts'
import type { SocketDirectory } from '../socket/directory.ts'
import type { Collections, Manifests, PrivateServices, Services } from './additions.ts'
import type { EventBus } from './events.ts'
import type { AllExtensions, Extensions } from './extensions.ts'
import type { Manifest, Permission } from './plugin.ts'

/** The services of the kernel, for every plugin; `log` is the plugin's own. */
export interface KernelServices {
  log: Logger
  clock: Clock
  ids: Ids
  secrets: Secrets
  events: EventBus
  extensions: AllExtensions
  permissionCatalog: Extensions<Permission>
  sockets: SocketDirectory
  limits: Limits
  explainError: ErrorExplainer
  describeError: ErrorDescriber
  server: ServerFacts
}

/** Facts of this running server; `started_at` is Unix seconds, `node_id` is unique to the process. */
export interface ServerFacts {
  readonly version: string
  /** The commit that was built; null if it is not known. */
  readonly commit: string | null
  readonly home: string
  readonly node_id: string
  readonly started_at: number
  readonly public_url: string | undefined
  /** True unless a browser sends the request for a page whose origin is neither the server's nor in `cors_origins`. */
  isOwnOrigin(headers: IncomingHttpHeaders): boolean
  /** True unless a browser sends the request for a page of another origin than the server's. */
  isSameOrigin(headers: IncomingHttpHeaders): boolean
  /** True if the client sends the request over HTTPS. */
  isSecure(headers: IncomingHttpHeaders): boolean
  /** Every plugin that was found, those left out included. */
  plugins(): PluginState[]
  /** Throws STORAGE_FULL if the disk is so full that nothing new may be begun. */
  assertStorage(): void
  /** Counts the lines of the log that could not be written. */
  droppedLogLines(): number
  /** Examines the disk, the database and the plugins; takes at most two seconds for the database. */
  health(): Promise<HealthReport>
  /** Asks `svc serve` to drain and start anew, as after SIGTERM; returns false if the process cannot do that. */
  restart(): boolean
}

/** The state of a running server. */
export interface HealthReport {
  /** `failed` if the database does not answer. */
  status: 'ok' | 'degraded' | 'failed'
  /** By name; empty if the database is unavailable. */
  plugins: Record<string, 'ok' | 'degraded' | 'failed'>
  /** `latency_ms` is null if the database does not answer. */
  database: { ok: boolean; latency_ms: number | null }
  /** The file system with the home; `free_bytes` is null if it has no size. */
  disk: { free_bytes: number | null; low: boolean }
}

/** One plugin and whether it does its work. */
export interface PluginState {
  name: string
  version: string
  /** `built-in`, the name of a package, or a folder. */
  source: string
  state: 'running' | 'failed' | 'disabled'
}

/** The part of a table that belongs to this plugin, empty if it has none. */
export type Member<Table, Name> = Name extends keyof Table ? Table[Name] : object
type Merged<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  whole: infer Whole,
) => void
  ? Whole
  : never

/** The settings that the schemas of a plugin's configuration describe. */
export type SettingsOf<Config> = { readonly enabled: boolean } & {
  readonly [Key in keyof Config]: Config[Key] extends { readonly default: unknown }
    ? TypeOf<Config[Key]>
    : TypeOf<Config[Key]> | undefined
}

/** The collections that a plugin owns. */
export type CollectionsOf<Name> = {
  readonly [Key in keyof Member<Collections, Name>]: Collection<
    Extract<Member<Collections, Name>[Key], Document>
  >
}

/**
 * The services that the factories, handlers and hooks of a plugin with this manifest receive: the kernel's, its own and
 * those that its dependencies provide, with its settings and its collections.
 */
export type Cradle<Of extends Manifest> = KernelServices & {
  readonly config: SettingsOf<NonNullable<Of['config']>>
  readonly limits: Limits<keyof NonNullable<Of['limits']> & string>
  readonly collections: CollectionsOf<Of['name']>
} & Member<PrivateServices, Of['name']> &
  Member<Services, Of['name']> &
  Merged<ProvidedBy<NonNullable<Of['depends']>[number]>>

/** The cradle of a plugin that the kernel does not know: typed by the plugin itself. */
export type SomeCradle = never

/** The cradle of the plugin of this name. */
export type CradleOf<Name extends keyof Manifests> = Manifests[Name] extends Manifest
  ? Cradle<Manifests[Name]>
  : never

type ProvidedBy<Name> = Name extends keyof Services ? Services[Name] : never
