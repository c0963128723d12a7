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
import type { AdminPlugin } from '../scaffold/plugin-list.ts'
import type { PluginTools } from '../scaffold/plugin-tools.ts'
import type { Cradle } from './manifest.ts'
import { pathsIn, withoutMasks } from './setting-changes.ts'

/** The settings of plugins in the file of this server. */
export type PluginSettings = ReturnType<typeof createPluginSettings>

/** Creates the reader and writer of the settings of plugins. */
export function createPluginSettings({
  pluginTools,
  server: { home },
}: { pluginTools: PluginTools } & Pick<Cradle, 'server'>) {
  const queue = createKeyedQueue()

  const get = (name: string): AdminPlugin => {
    const row = pluginTools.list().find((plugin) => plugin.name === name)
    if (!row) throw new AppError('NOT_FOUND')
    return row
  }

  /** Throws CONFIG_UNREADABLE. */
  const readFile = (): Json => {
    try {
      return pluginTools.readFile()
    } catch (error) {
      if (error instanceof ConfigError) throw new AppError('CONFIG_UNREADABLE', { reason: error.message })
      throw error
    }
  }

  /** Throws CONFIG_NOT_WRITABLE. */
  const writeFile = async (content: Json): Promise<void> => {
    try {
      await pluginTools.writeFile(content)
    } catch (error) {
      const code = findErrorCode(error)
      const isRefused = ['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV'].includes(String(code))
      if (!isRefused && explainUnwritable(error, home) === undefined) throw error
      throw new AppError('CONFIG_NOT_WRITABLE', { reason: String(code) }, { cause: error })
    }
  }

  /** Throws CONFIG_REFUSED if the server would not start with this file, or not run the plugin. */
  const assertStarts = async (file: Json, { name, enabled }: AdminPlugin, signal: AbortSignal) => {
    const { rows, error } = await pluginTools.tryStart(file, signal)
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

  /** Throws VALIDATION_FAILED with the path in the body of each wrong setting. */
  const assertValid = (name: string, settings: Json) => {
    const check = compileSchema(pluginTools.schemaOf(name), 'json')
    const issues = Object.entries(settings).flatMap(([key, value]) =>
      issuesOf(() => check(structuredClone({ [key]: value }))),
    )
    if (issues.length > 0) throw new AppError('VALIDATION_FAILED', { issues })
  }

  const tagOf = (name: string) =>
    makeTag({ section: pluginTools.storedSection(readFile(), name) }, ['section'])

  return {
    /** Lists every plugin, by name. */
    list: pluginTools.list,

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
        const section = pluginTools.storedSection(file, name)
        requireUnchanged(request, { section }, ['section'])
        if (enabled === false) assertSwitchable(row)
        const changes = withoutMasks(config)
        const fixed = pluginTools.fixedSettings(name, file)
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
        const content = pluginTools.withSection(file, name, next)
        await assertStarts(content, { ...row, enabled: enabled === true }, request.signal)
        await writeFile(content)
        return get(name)
      }),

    /** Throws RESTART_REFUSED, with the reason, if the server would not start with the file as it is. */
    async assertStartable(signal: AbortSignal): Promise<void> {
      const file = (() => {
        try {
          return pluginTools.readFile()
        } catch (error) {
          throw new AppError('RESTART_REFUSED', { reason: (error as Error).message })
        }
      })()
      const { error } = await pluginTools.tryStart(file, signal)
      if (error !== undefined) throw new AppError('RESTART_REFUSED', { reason: error })
    },
  }
}

/** Returns the issues that a check of settings finds, with paths in the body. */
function issuesOf(check: () => void): Issue[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return (error.details.issues as Issue[]).map((issue) => ({ ...issue, path: `/config${issue.path}` }))
  }
}
