import type { Collection } from 'mongodb'
import type { Clock } from './clock.ts'
import type { ErrorDescriber, ErrorExplainer } from './error-reply.ts'
import type { EventBus } from './events.ts'
import type { AllExtensions, Extensions } from './extensions.ts'
import type { GuardRequest } from './http/guard.ts'
import type { Ids } from './ids.ts'
import type { Limits } from './limits.ts'
import type { Logger } from './log.ts'
import type { Permission } from './plugin.ts'
import type { SecretRotation } from './secret-rotation.ts'
import type { Secrets } from './secrets.ts'
import type { SocketDirectory } from './socket/directory.ts'

/** Services by name. A plugin adds its own through declaration merging on '#kernel/types'. */
export interface Services {}

/** Documents by collection name, added to by the plugin that owns the collection. */
export interface Collections {}

/** What each guard adds to a handler's request, by guard name. */
export interface GuardContexts {
  public: object
}

/** Payloads by event name. */
export interface Events {
  /** Every plugin has started and the server is about to listen; `announce` prints a line once it does. */
  'server.starting': { announce(label: string, text: string): void }
  /** A mutating route is about to be answered, or a command that changes something has run. */
  'action.audited': AuditRecord
}

/** The type of an entry, by the extension point's name: that of the plugin that declares it, a dot, and what it is for. */
export interface ExtensionPoints {}

/** One mutating call or command, and how it went. */
export interface AuditRecord {
  /** Unix seconds. */
  ts: number
  /** A username; `os:` and the name of the system's user for a command; null where nobody has said who they are. */
  actor: string | null
  action: string
  target: string | null
  /** What of the body is no secret; undefined where there is none, or none that was valid. */
  payload: unknown
  /** The HTTP status, or the exit code of a command. */
  status: number
  /** Null for a command. */
  ip: string | null
  request_id: string | null
}

/** What the kernel gives every plugin; `config`, `collections` and `log` are that plugin's own. */
export interface KernelServices<Config = unknown> {
  config: Config
  collections: { readonly [Name in keyof Collections]: Collection<Collections[Name]> }
  log: Logger
  clock: Clock
  ids: Ids
  secrets: Secrets
  secretRotation: SecretRotation
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
  readonly home: string
  readonly node_id: string
  readonly started_at: number
  readonly public_url: string | undefined
  /** Every plugin that was found, those left out included. */
  plugins(): PluginState[]
}

/** One plugin and whether it does its work. */
export interface PluginState {
  name: string
  version: string
  /** `built-in`, the name of a package, or a folder. */
  source: string
  state: 'running' | 'failed' | 'disabled'
}

/** What a plugin's factories, handlers and hooks receive: the kernel's services and those it may use. */
export type Cradle<Config = unknown> = Services & KernelServices<Config>

export type { GuardRequest }
