import { type Blueprint, fillRegistries, readBlueprint } from '../blueprint.ts'
import { JSON_OPTION, printJson, printTable } from '../print.ts'
import { readServerNote } from '../server-note.ts'
import type { KernelCommand } from './kernel-command.ts'

/** One line of `svc plugins`; `start_ms` is that of the server that runs on this home, null where none does. */
export interface PluginRow {
  name: string
  version: string
  source: string
  enabled: boolean
  depends: readonly string[]
  start_ms: number | null
  provides: Record<string, string[]>
  reason?: string
}

/** Lists every plugin that was found, those left out with the reason. */
export function listPlugins(blueprint: Blueprint, startTimes: Record<string, number>): PluginRow[] {
  const running = blueprint.plugins.map(({ plugin, source, version, declarations }) => ({
    name: plugin.name,
    version,
    source,
    enabled: true,
    depends: plugin.depends ?? [],
    start_ms: startTimes[plugin.name] ?? null,
    provides: withoutEmpty({
      services: [...declarations.services.keys()],
      collections: [...declarations.collections.keys()],
      guards: [...declarations.guards.keys()],
      routes: declarations.routes.map(({ method, path }) => `${method} ${path}`),
      sockets: declarations.sockets.map(({ path }) => path),
      jobs: declarations.jobs.map(({ name }) => name),
      commands: declarations.commands.map(({ name }) => name),
      permissions: (plugin.permissions ?? []).map(({ key }) => key),
    }),
  }))
  const absent = [...blueprint.absent].map(([name, { source, version, depends, reason }]) => ({
    name,
    version,
    source,
    enabled: false,
    depends,
    start_ms: null,
    provides: {},
    reason,
  }))
  return [...running, ...absent]
}

const withoutEmpty = (lists: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))

const listNames = (names: string[]) => names.join(', ') || '-'

/** `svc plugins`: what is there, what it brings, and the kinds in the registries. */
export const pluginsCommand: KernelCommand = {
  name: 'plugins',
  summary: 'List plugins, what they provide and why some are left out',
  options: [JSON_OPTION],
  async run({ home, env, options, stdout }) {
    const blueprint = await readBlueprint({ home, env })
    const rows = listPlugins(blueprint, readServerNote(home)?.start_ms ?? {})
    if (options.json) {
      printJson(stdout, rows)
      return 0
    }
    printTable(stdout, [
      ['name', 'version', 'source', 'state', 'provides'],
      ...rows.map(({ name, version, source, reason, provides }) => [
        name,
        version,
        source,
        reason ?? 'enabled',
        Object.entries(provides)
          .map(([sort, list]) => `${list.length} ${sort}`)
          .join(', '),
      ]),
    ])
    const { provider_kinds, channel_kinds, tools } = await fillRegistries(blueprint.plugins)
    stdout.write('\n')
    printTable(stdout, [
      ['provider kinds', listNames(provider_kinds.list().map(({ kind }) => kind))],
      ['channel kinds', listNames(channel_kinds.list().map(({ kind }) => kind))],
      ['tools', listNames(tools.list().map(({ name }) => name))],
    ])
    return 0
  },
}
