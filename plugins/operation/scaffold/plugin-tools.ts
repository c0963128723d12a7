import type { JSONSchema } from '#plugin-api'
import { readConfigFile } from '#plugin-api/operation'
import { type ConfigContent, storedSection, withSection, writeConfigFile } from './config-file.ts'
import { installPackage } from './install-package.ts'
import { InstallFailure } from './npm.ts'
import {
  type AdminPlugin,
  fixedSettings,
  type ListParts,
  listAdminPlugins,
  nextConfig,
  schemaOf,
} from './plugin-list.ts'
import { findPlugin, removePlugin } from './removal.ts'
import { type TrialResult, tryStart } from './trial.ts'

/** The plugins of this server and its file of settings, for the plugin that administrates them. */
export type PluginTools = ReturnType<typeof createPluginTools>

/** Creates the tools. */
export function createPluginTools(parts: ListParts) {
  const { blueprint, server } = parts
  const { home } = server
  const { env } = process
  /** The packages that this process has installed; one of them may run in an older version. */
  const renewed = new Set<string>()
  const list = (): AdminPlugin[] =>
    listAdminPlugins(parts).map((row) => ({
      ...row,
      needs_restart: row.needs_restart || renewed.has(row.source),
    }))
  return {
    /** Lists every plugin, by name. */
    list,

    /** Finds a plugin by its name, its package, its folder, or the name of its folder. */
    find: (name: string): AdminPlugin | undefined => findPlugin(list(), name),

    /** Returns the schema of the settings of a plugin. */
    schemaOf: (name: string): JSONSchema => schemaOf(blueprint(), name),

    /** Returns the settings of a plugin that variables and flags fix, each with what sets it. */
    fixedSettings: (name: string, file: ConfigContent): Record<string, string> =>
      fixedSettings(nextConfig(blueprint(), file), name),

    /** Reads `config.json`; throws a `ConfigError` if it is broken. */
    readFile: (): ConfigContent => readConfigFile(home),
    writeFile: (content: ConfigContent): Promise<void> => writeConfigFile(home, content),
    storedSection,
    withSection,

    /** Tries a start with this content of the file, in a process of its own. */
    tryStart: (file: ConfigContent, signal: AbortSignal): Promise<TrialResult> =>
      tryStart({ home, file }, { env, signal }),

    /** Installs `name@version` and returns its name. Throws an `InstallFailure`. */
    async install(spec: string, signal: AbortSignal): Promise<string> {
      const { source } = await installPackage(spec, { home, env, signal })
      renewed.add(source)
      return source
    },

    /** Removes a plugin. Throws PLUGIN_BUILT_IN, PLUGIN_NEEDED and an `InstallFailure`. */
    remove: (row: AdminPlugin, signal: AbortSignal): Promise<void> =>
      removePlugin(row, { home, env, signal, blueprint: blueprint() }),

    /** Returns the sentence of an `InstallFailure`; undefined for other errors. */
    failureOf: (error: unknown): string | undefined =>
      error instanceof InstallFailure ? error.message : undefined,
  }
}
