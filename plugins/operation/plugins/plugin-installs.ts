import { AppError, BUILT_IN } from '#plugin-api'
import type { Logins } from '../../identity/auth/logins.ts'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Users } from '../../identity/users/users.ts'
import type { AdminPlugin } from '../scaffold/plugin-list.ts'
import type { PluginTools } from '../scaffold/plugin-tools.ts'
import type { Cradle } from './manifest.ts'
import type { PluginSettings } from './plugin-settings.ts'

/** The person who installs or removes, with a code of the second factor. */
interface Installer {
  caller: AuthCaller
  ip: string
  code: string | undefined
  signal: AbortSignal
}

/** Installs and removes packages for administrators. */
export type PluginInstalls = ReturnType<typeof createPluginInstalls>

/** Creates the installs; one runs at a time. */
export function createPluginInstalls({
  config,
  extensions,
  logins,
  pluginSettings,
  pluginTools,
  users,
}: {
  logins: Logins
  users: Users
  pluginSettings: PluginSettings
  pluginTools: PluginTools
} & Pick<Cradle, 'config' | 'extensions'>) {
  let isBusy = false

  /** Throws INSTALL_CODE_MISSING, INSTALL_CODE_WRONG, LOGIN_LOCKED, SIGN_INS_LIMITED. */
  const assertSecondFactor = async ({ caller, ip, code }: Installer): Promise<void> => {
    const user = await users.find(caller.id)
    if (!user) throw new AppError('AUTH_FAILED')
    if (code === undefined) {
      const answers = await extensions['auth.second_factors'].ask({ user, code })
      if (answers.includes('missing')) throw new AppError('INSTALL_CODE_MISSING')
      return
    }
    const check = async () => {
      const answers = await extensions['auth.second_factors'].ask({ user, code })
      return answers.includes('wrong') ? undefined : true
    }
    const { username } = caller
    const passed = await logins.attempt({ username, ip }, check, { clears: false })
    if (!passed) throw new AppError('INSTALL_CODE_WRONG')
  }

  /** Runs work alone, for a person who may install. */
  const install = async <Result>(installer: Installer, work: () => Promise<Result>): Promise<Result> => {
    if (!config.install) throw new AppError('INSTALL_OFF')
    await assertSecondFactor(installer)
    if (isBusy) throw new AppError('INSTALL_BUSY')
    isBusy = true
    try {
      return await pluginSettings.alone(work)
    } catch (error) {
      const reason = pluginTools.failureOf(error)
      throw reason === undefined ? error : new AppError('INSTALL_FAILED', { reason }, { cause: error })
    } finally {
      isBusy = false
    }
  }

  return {
    /** Installs `name@version`. Throws INSTALL_OFF, INSTALL_BUSY, INSTALL_FAILED, and the errors of the code. */
    add: (spec: string, installer: Installer): Promise<AdminPlugin> =>
      install(installer, async () => {
        pluginSettings.readFile()
        const name = await pluginTools.install(spec, installer.signal)
        return pluginTools.find(name)!
      }),

    /** Removes a plugin of a third party. Throws NOT_FOUND, PLUGIN_BUILT_IN, PLUGIN_NEEDED, and the errors of `add`. */
    async remove(name: string, installer: Installer): Promise<void> {
      const row = pluginTools.find(name)
      if (!row) throw new AppError('NOT_FOUND')
      if (row.source === BUILT_IN) throw new AppError('PLUGIN_BUILT_IN', { name })
      await install(installer, async () => {
        pluginSettings.readFile()
        await pluginTools.remove(row, installer.signal)
      })
    },
  }
}
