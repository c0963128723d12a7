import type { IndexDescription } from 'mongodb'
import type { Command } from './command.ts'
import { AppError } from './errors.ts'
import type { Guard } from './http/guard.ts'
import type { Route } from './http/route.ts'
import type { Job } from './jobs.ts'
import type { Socket } from './socket/socket.ts'
import type { Collections, Cradle, Events, GuardContexts, Registries, Services } from './types.ts'

/** How a plugin declares what it brings. Everything runs later, or never if only the declarations are asked for. */
export interface Host {
  /** A service, made once, on first use. */
  service<Name extends keyof Services>(name: Name, factory: (cradle: Cradle<never>) => Services[Name]): void
  /** A collection that this plugin owns; its indexes are made before any plugin starts. */
  collection(name: keyof Collections, options?: { indexes?: IndexDescription[] }): void
  guard<Name extends keyof GuardContexts>(name: Name, guard: Guard<Name>): void
  routes(routes: readonly Route[]): void
  socket(socket: Socket): void
  on<Name extends keyof Events>(
    event: Name,
    listener: (payload: Events[Name], cradle: Cradle<never>) => unknown,
  ): void
  job(job: Job): void
  command(command: Command): void
  register<Name extends keyof Registries>(registry: Name, entry: Registries[Name]): void
  /** A check that throws while the plugin cannot do its work; shown by /api/health. */
  health(check: (cradle: Cradle<never>) => unknown): void
  /** An error of some plugin's table, for plugins that import nothing of ours. */
  error(code: string, details?: Record<string, unknown>): AppError
}

/** What one plugin declared. */
export interface Declarations {
  services: Map<string, (cradle: Cradle) => unknown>
  collections: Map<string, IndexDescription[]>
  guards: Map<string, Guard>
  routes: Route[]
  sockets: Socket[]
  listeners: { event: keyof Events; listener: (payload: never, cradle: Cradle) => unknown }[]
  jobs: Job[]
  commands: Command[]
  entries: { registry: keyof Registries; entry: never }[]
  health: ((cradle: Cradle) => unknown)[]
}

/** Makes the host that is handed to one plugin's `setup`, and the record that it fills. */
export function createHost(): { host: Host; declarations: Declarations } {
  const declarations: Declarations = {
    services: new Map(),
    collections: new Map(),
    guards: new Map(),
    routes: [],
    sockets: [],
    listeners: [],
    jobs: [],
    commands: [],
    entries: [],
    health: [],
  }
  const host: Host = {
    service: (name, factory) => void declarations.services.set(name, factory as (cradle: Cradle) => unknown),
    collection: (name, { indexes = [] } = {}) => void declarations.collections.set(name, indexes),
    guard: (name, guard) => void declarations.guards.set(name, guard as Guard),
    routes: (routes) => void declarations.routes.push(...routes),
    socket: (socket) => void declarations.sockets.push(socket),
    on: (event, listener) => void declarations.listeners.push({ event, listener: listener as never }),
    job: (job) => void declarations.jobs.push(job),
    command: (command) => void declarations.commands.push(command),
    register: (registry, entry) => void declarations.entries.push({ registry, entry: entry as never }),
    health: (check) => void declarations.health.push(check as (cradle: Cradle) => unknown),
    error: (code, details) => new AppError(code, details),
  }
  return { host, declarations }
}
