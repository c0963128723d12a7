import {
  AppError,
  type Conditional,
  ConfigError,
  compileSchema,
  createKeyedQueue,
  explainUnwritable,
  findErrorCode,
  type Issue,
  type Json,
  makeTag,
  mergePatch,
  requireUnchanged,
} from '#plugin-api'
import { readConfigFile } from '#plugin-api/operation'
import { type ConfigContent, storedSection, withSection, writeConfigFile } from './config-file.ts'
import type { Cradle } from './manifest.ts'
import { fixedSettings, type ListParts, listAdminPlugins, nextConfig, schemaOf } from './plugin-list.ts'
import type { AdminPlugin } from './schemas.ts'
import { pathsIn, withoutMasks } from './section-values.ts'
import { tryStart } from './trial.ts'

/** The settings of plugins in the file of this server. */
export type PluginSettings = ReturnType<typeof createPluginSettings>

/** Creates the reader and writer of the settings of plugins. */
export function createPluginSettings(parts: ListParts & Pick<Cradle, 'log'>) {
  const { blueprint, server } = parts
  const queue = createKeyedQueue()

  const get = (name: string): AdminPlugin => {
    const row = listAdminPlugins(parts).find((plugin) => plugin.name === name)
    if (!row) throw new AppError('NOT_FOUND')
    return row
  }

  /** Throws CONFIG_UNREADABLE. */
  const readFile = (): ConfigContent => {
    try {
      return readConfigFile(server.home)
    } catch (error) {
      if (error instanceof ConfigError) throw new AppError('CONFIG_UNREADABLE', { reason: error.message })
      throw error
    }
  }

  /** Throws CONFIG_NOT_WRITABLE. */
  const writeFile = async (content: ConfigContent): Promise<void> => {
    try {
      await writeConfigFile(server.home, content)
    } catch (error) {
      const code = findErrorCode(error)
      const isRefused = ['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV'].includes(String(code))
      if (!isRefused && explainUnwritable(error, server.home) === undefined) throw error
      throw new AppError('CONFIG_NOT_WRITABLE', { reason: String(code) }, { cause: error })
    }
  }

  /** Throws CONFIG_REFUSED if the server would not start with this file, or not run the plugin. */
  const assertStarts = async (file: ConfigContent, { name, enabled }: AdminPlugin, signal: AbortSignal) => {
    const { rows, error } = await tryStart({ home: server.home, file }, { env: process.env, signal })
    if (rows === undefined) throw new AppError('CONFIG_REFUSED', { reason: error })
    const row = rows.find((plugin) => plugin.name === name)
    if (enabled && row && row.status !== 'ok')
      throw new AppError('CONFIG_REFUSED', { reason: `${name}: ${row.error}` })
  }

  const assertSwitchable = ({ name, can_be_disabled, needed_by }: AdminPlugin) => {
    if (can_be_disabled) return
    if (needed_by.length > 0) throw new AppError('PLUGIN_NEEDED', { name, needed_by: needed_by.join(', ') })
    const reason = name === 'plugins' ? 'it serves this page' : 'the server cannot run without it'
    throw new AppError('PLUGIN_KEPT_ON', { name, reason })
  }

  /** Throws VALIDATION_FAILED with the paths in the body. */
  const assertValid = (name: string, settings: Json) => {
    try {
      compileSchema(schemaOf(blueprint(), name), 'json')(structuredClone(settings))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const issues = error.details.issues as Issue[]
      throw new AppError('VALIDATION_FAILED', {
        issues: issues.map((issue) => ({ ...issue, path: `/config${issue.path}` })),
      })
    }
  }

  const tagOf = (name: string) => makeTag({ section: storedSection(readFile(), name) }, ['section'])

  return {
    /** Lists every plugin, by name. */
    list: () => listAdminPlugins(parts),

    get,
    readFile,
    writeFile,
    tagOf,

    /** Runs work on the file alone. */
    alone: <Result>(work: () => Promise<Result>): Promise<Result> => queue.run('file', work),

    /**
     * Changes the settings of a plugin in the file. Throws NOT_FOUND, PLUGIN_NOT_LOADED, PLUGIN_KEPT_ON, PLUGIN_NEEDED,
     * SETTING_FIXED, VALIDATION_FAILED, PRECONDITION_FAILED, and the errors of the file.
     */
    change: (
      name: string,
      { enabled, config = {} }: { enabled?: boolean; config?: Json },
      request: Conditional & { signal: AbortSignal },
    ): Promise<AdminPlugin> =>
      queue.run('file', async () => {
        const row = get(name)
        if (row.state === 'added' || row.state === 'removed')
          throw new AppError('PLUGIN_NOT_LOADED', { name })
        const file = readFile()
        const section = storedSection(file, name)
        requireUnchanged(request, { section }, ['section'])
        if (enabled === false) assertSwitchable(row)
        const changes = withoutMasks(config)
        const fixed = fixedSettings(nextConfig(blueprint(), file), name)
        const isWithin = (path: string, setting: string) =>
          path === setting || path.startsWith(`${setting}.`) || setting.startsWith(`${path}.`)
        for (const path of pathsIn(changes))
          for (const [setting, set_by] of Object.entries(fixed))
            if (isWithin(path, setting)) throw new AppError('SETTING_FIXED', { path, set_by })
        const { enabled: wasOn, required, ...settings } = section
        const changed = mergePatch(settings, changes)
        assertValid(name, changed)
        const isOn = enabled ?? wasOn
        const next = {
          ...(isOn === false && { enabled: false }),
          ...(required !== undefined && { required }),
          ...changed,
        }
        const content = withSection(file, name, next)
        await assertStarts(content, { ...row, enabled: enabled === true }, request.signal)
        await writeFile(content)
        return get(name)
      }),

    /** Throws RESTART_REFUSED, with the reason, if the server would not start with the file as it is. */
    async assertStartable(signal: AbortSignal): Promise<void> {
      const file = (() => {
        try {
          return readConfigFile(server.home)
        } catch (error) {
          throw new AppError('RESTART_REFUSED', { reason: (error as Error).message })
        }
      })()
      const { error } = await tryStart({ home: server.home, file }, { env: process.env, signal })
      if (error !== undefined) throw new AppError('RESTART_REFUSED', { reason: error })
    },
  }
}
