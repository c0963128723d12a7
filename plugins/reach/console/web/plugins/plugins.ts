import type { components } from '#client'
import { t, type WordKey } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { ifMatch, send, sendTagged, settings } from '../server/send.ts'
import { mergePatch } from '../ui/draft.ts'
import { pruneValues, type Schema, type Values } from '../ui/schema-form-schema.ts'

export type Plugin = components['schemas']['AdminPlugin']

/** The values of the form of a plugin; stored secrets are masks. */
export interface PluginValues {
  enabled: boolean
  config: Values
}

/** The source of the plugins that come with the server. */
export const BUILT_IN = 'built-in'

/** The words for the extension points whose entries people know by name. */
const POINT_WORDS: Record<string, WordKey> = {
  'agents.tools': 'plugins.brings_tools',
  'channels.kinds': 'plugins.brings_channels',
  'providers.kinds': 'plugins.brings_providers',
  'connectors.kinds': 'plugins.brings_connectors',
  'console.page': 'plugins.brings_pages',
  'console.slots': 'plugins.brings_pages',
}

/** The words for additions that mean nothing to most people. */
const MORE: WordKey = 'plugins.brings_more'

/** Things of one kind that a plugin brings. */
export interface Brought {
  words: WordKey
  names: string[]
}

/** The things that a plugin brings, by kinds that people know. */
export function listBrought({ brings }: Plugin): Brought[] {
  const lists = new Map<WordKey, string[]>()
  const add = (words: WordKey, names: string[]) =>
    names.length > 0 && lists.set(words, [...(lists.get(words) ?? []), ...names])
  for (const { point, name } of brings.entries) if (POINT_WORDS[point]) add(POINT_WORDS[point], [name])
  add('plugins.brings_routes', [...brings.routes, ...brings.sockets])
  add('plugins.brings_permissions', brings.permissions)
  add('plugins.brings_jobs', brings.jobs)
  add('plugins.brings_commands', brings.commands)
  const others = brings.entries.filter(({ point }) => !POINT_WORDS[point])
  add(
    MORE,
    others.map(({ point, name }) => `${name} (${point})`),
  )
  return [...lists].map(([words, names]) => ({ words, names: [...new Set(names)] }))
}

/** A line about what a plugin brings: "3 tools · 5 API routes". */
export const describeBrought = (plugin: Plugin): string =>
  listBrought(plugin)
    .filter(({ words }) => words !== MORE)
    .map(({ words, names }) => t(words, { count: names.length }))
    .join(' · ')

/** The state of a plugin in words, with the shape of its dot. */
export function describeState({ state, enabled, needs_restart }: Plugin): {
  tone: 'on' | 'off' | 'failed' | 'waiting'
  label: WordKey
} {
  if (state === 'added') return { tone: 'waiting', label: 'plugins.state_added' }
  if (state === 'removed') return { tone: 'waiting', label: 'plugins.state_removed' }
  if (needs_restart && enabled !== (state !== 'disabled'))
    return { tone: 'waiting', label: enabled ? 'plugins.state_on_next' : 'plugins.state_off_next' }
  if (state === 'failed') return { tone: 'failed', label: 'plugins.state_failed' }
  if (state === 'disabled') return { tone: 'off', label: 'plugins.state_off' }
  return needs_restart
    ? { tone: 'waiting', label: 'plugins.state_changed' }
    : { tone: 'on', label: 'plugins.state_on' }
}

/** The order of the list: problems and news first, then what was added, then what comes with the server. */
export function sortPlugins(plugins: readonly Plugin[]): Plugin[] {
  const rank = (plugin: Plugin) => {
    const { tone } = describeState(plugin)
    if (tone === 'failed') return 0
    if (tone === 'waiting') return 1
    return plugin.source === BUILT_IN ? 3 : 2
  }
  return plugins.toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))
}

/** Reads a plugin with the tag of its settings. */
export const readPlugin = (name: string) =>
  sendTagged(client.GET('/admin/plugins/{name}', { params: { path: { name } } }))

/** Stores what has changed of a plugin. */
export function updatePlugin(
  { name, config_schema }: Plugin,
  base: PluginValues,
  values: PluginValues,
  tag: string | null,
) {
  const config = mergePatch(base.config, pruneValues(config_schema as Schema, values.config))
  const body = {
    ...(values.enabled !== base.enabled && { enabled: values.enabled }),
    ...(Object.keys(config).length > 0 && { config: settings(config) }),
  }
  return send(
    client.PATCH('/admin/plugins/{name}', { params: { path: { name }, header: ifMatch(tag) }, body }),
  )
}
