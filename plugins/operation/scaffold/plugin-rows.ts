import { type Blueprint, extensionsOf, type ServerNote } from '#plugin-api'

/** One line of `svc plugins`: a plugin, or a folder that adds to an extension point. */
export interface PluginRow {
  name: string
  version: string
  source: string
  enabled: boolean
  status: 'ok' | 'failed' | 'off'
  /** Why it failed or is off. */
  error: string | null
  depends: readonly string[]
  /** The services that dependent plugins may use. */
  provides: string[]
  /** The entries that it adds to extension points. */
  extends: { point: string; name: string }[]
  /** Its own extension points, each with those that add to it. */
  points: Record<string, string[]>
  /** The other things that it declares, by kind. */
  declares: Record<string, string[]>
  /** Milliseconds that its start took in the server that runs on this home; null if none runs. */
  start_ms: number | null
}

/** Lists every plugin and folder that was found, in order of start, those that are left out with the reason. */
export function listPlugins(
  blueprint: Blueprint,
  note?: Pick<ServerNote, 'start_ms' | 'failed'>,
): PluginRow[] {
  const extensions = extensionsOf(blueprint)
  const pointsOf = (names: Iterable<string>) =>
    Object.fromEntries(
      [...names].map((point) => {
        const { names, owner } = extensions.get(point)!
        return [point, [...new Set(names().map((name) => owner(name)!))]]
      }),
    )
  const extendedBy = (owner: string) =>
    [...extensions].flatMap(([point, { names, owner: ownerOf }]) =>
      names()
        .filter((name) => ownerOf(name) === owner)
        .map((name) => ({ point, name })),
    )
  const statusOf = (error: string | undefined) => ({
    status: error === undefined ? ('ok' as const) : ('failed' as const),
    error: error ?? null,
  })
  const nothing = { provides: [], extends: [], points: {}, declares: {}, start_ms: null }

  const running = blueprint.plugins.map(({ plugin, source, version, declarations }) => ({
    name: plugin.name,
    version,
    source,
    enabled: true,
    ...statusOf(note?.failed[plugin.name]),
    depends: plugin.depends ?? [],
    provides: [...declarations.provided],
    extends: extendedBy(plugin.name),
    points: pointsOf(declarations.points.keys()),
    declares: withoutEmpty({
      collections: [...declarations.collections.keys()],
      guards: [...declarations.guards.keys()],
      routes: declarations.routes.map(({ method, path }) => `${method} ${path}`),
      sockets: declarations.sockets.map(({ path }) => path),
      jobs: declarations.jobs.map(({ name }) => name),
      commands: declarations.commands.map(({ name }) => name),
      permissions: (plugin.permissions ?? []).map(({ key }) => key),
      events: [...(plugin.events ?? [])],
    }),
    start_ms: note?.start_ms[plugin.name] ?? null,
  }))
  const folders = blueprint.entries.map(({ name, version, source, owner }) => ({
    ...nothing,
    name,
    version,
    source,
    enabled: true,
    ...statusOf(undefined),
    depends: [],
    extends: extendedBy(owner),
  }))
  const absent = blueprint.absent.map(({ name, version, source, depends, reason, failed }) => ({
    ...nothing,
    name,
    version,
    source,
    enabled: failed,
    status: failed ? ('failed' as const) : ('off' as const),
    error: reason,
    depends,
  }))
  return [...running, ...folders, ...absent]
}

const withoutEmpty = (lists: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
