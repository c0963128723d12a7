import type { ExtensionPoint } from '../contract/extensions.ts'
import { compileFor } from '../contract/form.ts'
import type { GuardUse } from '../contract/guard.ts'
import type { Declarations } from '../contract/host.ts'
import type { Plugin } from '../contract/plugin.ts'
import type { Route } from '../contract/route.ts'
import type { FrameSchemas } from '../contract/socket.ts'
import { ConfigError, type ErrorTable, kernelErrors } from '../errors.ts'
import { askForNearest, nameNearest } from '../nearest-name.ts'
import { compileSchema } from '../schema.ts'
import { kernelLimits } from '../security/limits.ts'
import type { FolderEntry } from './discovery.ts'
import type { Candidate } from './selection.ts'

/** A plugin that will run, with all that it declared. */
export interface PlannedPlugin extends Candidate {
  plugin: Plugin
  /** The real path of the folder that it was loaded from. */
  folder: string
  file?: string
  declarations: Declarations
}

/** The declarations that must fit together. */
export interface Assembly {
  /** In order of start. */
  plugins: PlannedPlugin[]
  /** The extension points of all plugins, absent plugins included, by name. */
  points: ReadonlyMap<string, ExtensionPoint>
  /** The names of the events of all plugins, absent plugins included. */
  events: ReadonlySet<string>
  /** The permissions of all plugins, absent plugins included. */
  permissions: ReadonlySet<string>
  /** The entries that folders and packages add to extension points. */
  entries: FolderEntry[]
  errors: ErrorTable
}

const MUTATING = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** A declaration of a plugin, or of the folder of an extension point, that cannot be accepted. */
export class Fault extends ConfigError {
  readonly owner: string

  constructor(owner: string, message: string) {
    super(message)
    this.owner = owner
  }
}

/** Rethrows a failure as the fault of its owner. */
function attribute(owner: string, act: () => void): void {
  try {
    act()
  } catch (error) {
    throw error instanceof Fault
      ? error
      : new Fault(owner, `"${owner}" cannot be loaded: ${(error as Error).message}`)
  }
}

/** Throws a `Fault` for a name used twice, and for what names a guard, an error, an event or an extension point that no plugin declares. */
export function assertConsistent(
  { plugins, points, events, permissions, entries, errors }: Assembly,
  kernelRoutes: readonly Route[],
): void {
  const owners = new Map<string, string>()
  const claim = (kind: string, name: string, owner: string, space = kind) => {
    const other = owners.get(`${space} ${name}`)
    if (other) throw new Fault(owner, `${kind} "${name}" is declared by both ${other} and ${owner}`)
    owners.set(`${space} ${name}`, owner)
  }
  const claimRoute = (method: string, path: string, owner: string) =>
    claim('route', `${method} ${path.replace(/:\w+/g, ':')}`, owner)
  const claimEntry = (point: string, entry: unknown, owner: string) => {
    const { noun, nameOf } = points.get(point)!
    claim(noun, nameOf ? nameOf(entry, owner) : owner, owner, point)
  }
  for (const code of Object.keys(kernelErrors)) claim('error', code, 'the kernel')
  claim('guard', 'public', 'the kernel')
  for (const name of Object.keys(kernelLimits)) claim('limit', name, 'the kernel')
  for (const { method, path, operation_id } of kernelRoutes) {
    claimRoute(method, path, 'the kernel')
    claim('operation', operation_id!, 'the kernel')
  }
  for (const { point, value, owner } of entries) attribute(owner, () => claimEntry(point, value, owner))
  const claimAll = ({ plugin, declarations }: PlannedPlugin) => {
    const { name: owner } = plugin
    for (const code of Object.keys(plugin.errors ?? {})) claim('error', code, owner)
    for (const { key } of plugin.permissions ?? []) claim('permission', key, owner)
    for (const event of plugin.events ?? []) claim('event', event, owner)
    for (const name of declarations.provided) claim('service', name, owner)
    for (const name of declarations.collections.keys()) claim('collection', name, owner)
    for (const name of declarations.guards.keys()) claim('guard', name, owner)
    for (const name of Object.keys(plugin.limits ?? {})) claim('limit', name, owner)
    for (const name of declarations.limits.keys())
      if (!Object.hasOwn(plugin.limits ?? {}, name))
        throw new Fault(
          owner,
          `plugin "${owner}" counts the limit "${name}", which its manifest does not name: add it to "limits"${askForNearest(name, Object.keys(plugin.limits ?? {}))}`,
        )
    for (const { name } of declarations.jobs) claim('job', name, owner)
    for (const { name } of declarations.commands) claim('command', name, owner)
    for (const { method, path, operation_id } of declarations.routes) {
      claimRoute(method, path, owner)
      if (operation_id) claim('operation', operation_id, owner)
    }
    // A socket is opened by a GET.
    for (const { path, operation_id } of declarations.sockets) {
      claimRoute('GET', path, owner)
      if (operation_id) claim('operation', operation_id, owner)
    }
    for (const { path } of declarations.pages) claim('page', path, owner)
    for (const { event } of declarations.listeners) {
      if (!events.has(event))
        throw new Fault(
          owner,
          `plugin "${owner}" listens to "${event}", but no manifest names that event${nameNearest(event, events)}`,
        )
    }
    for (const { point, entry } of declarations.extensions) {
      if (!points.has(point))
        throw new Fault(
          owner,
          `plugin "${owner}" extends "${point}", but no plugin declares that extension point${nameNearest(point, points.keys())}`,
        )
      claimEntry(point, entry, owner)
    }
  }
  for (const planned of plugins) attribute(planned.name, () => claimAll(planned))

  const guards = new Map(plugins.flatMap(({ declarations }) => [...declarations.guards]))
  const guardNames = ['public', ...guards.keys()]
  const guardOwners = new Map(
    plugins.flatMap(({ name, declarations }) =>
      [...declarations.guards.keys()].map((guard) => [guard, name]),
    ),
  )
  const dependencies = new Map(plugins.map(({ name, depends }) => [name, depends]))
  const needs = (name: string, other: string): boolean =>
    name === other || dependencies.get(name)!.some((next) => needs(next, other))
  for (const { plugin, declarations } of plugins) {
    const refuse = (what: string, wrong: string) => {
      throw new Fault(plugin.name, `${what} of plugin "${plugin.name}" ${wrong}`)
    }
    const assertGuard = (what: string, use: unknown) => {
      if (!use) refuse(what, 'has no guard')
      const name = Array.isArray(use) ? use[0] : use
      if (typeof name !== 'string')
        refuse(
          what,
          "has a guard that is not a name: write guard: 'user', or guard: ['permission', 'notes'] for a guard with an argument",
        )
      if (name !== 'public' && !guards.has(name))
        refuse(what, `uses the guard "${name}", which no plugin declares${nameNearest(name, guardNames)}`)
      const owner = guardOwners.get(name) ?? plugin.name
      // If the guard's plugin fails, what it guards has to go with it.
      if (!needs(plugin.name, owner))
        refuse(what, `uses the guard "${name}" without depending on its plugin: add "${owner}" to depends`)
    }
    const assertUse = (what: string, use: GuardUse) => {
      assertGuard(what, use)
      const [name, argument = ''] = [use].flat()
      if (guards.get(name!)?.argument !== 'permission' || permissions.has(argument)) return
      refuse(
        what,
        argument === ''
          ? `uses the guard "${name}" without a permission: write guard: ['${name}', 'the_permission']`
          : `needs the permission "${argument}", which no manifest declares${nameNearest(argument, permissions)}`,
      )
    }
    const assertErrors = (what: string, codes: readonly string[]) => {
      for (const code of codes)
        if (!errors[code])
          refuse(
            what,
            `names the error ${code}, which no plugin declares${askForNearest(code, Object.keys(errors))}`,
          )
    }
    for (const [name, { after, errors: codes = [] }] of declarations.guards) {
      assertErrors(`guard ${name}`, codes)
      const path = [name]
      for (let next: string | undefined = after; next; next = guards.get(next)?.after) {
        assertGuard(`guard ${name}`, next)
        if (path.includes(next))
          refuse(`guard ${name}`, `follows guards in a circle: ${[...path, next].join(' -> ')}`)
        path.push(next)
      }
    }
    for (const { path, missing } of declarations.pages) assertErrors(`page ${path}`, missing ? [missing] : [])
    for (const { path, guard } of declarations.sockets) assertUse(`socket ${path}`, guard)
    for (const { method, path, guard, audit, errors: codes = [] } of declarations.routes) {
      const what = `route ${method} ${path}`
      assertUse(what, guard)
      if (MUTATING.has(method) && audit === undefined)
        refuse(what, 'changes something but names no audit action')
      assertErrors(what, codes)
    }
  }
}

/** Compiles the schemas that a third-party plugin declares and checks its entries; tests do so for built-in plugins. */
export function checkForeign(
  { routes, sockets, extensions }: Declarations,
  points: ReadonlyMap<string, ExtensionPoint>,
  folder: string,
): void {
  for (const { method, path, query, body, response } of routes)
    compileFor(`route ${method} ${path}`, () => {
      if (query) compileSchema(query, 'text')
      if (body) compileSchema(body, 'json')
      for (const schema of Object.values(response)) if (schema) compileSchema(schema, 'reply')
    })
  for (const { path, receive, send } of sockets)
    compileFor(`socket ${path}`, () => {
      for (const schema of schemasIn(receive, send)) compileSchema(schema, 'json')
    })
  for (const { point, entry } of extensions) points.get(point)?.check?.(entry, folder)
}

const schemasIn = (...directions: FrameSchemas[]) =>
  directions.flatMap((direction) => Object.values(direction))
