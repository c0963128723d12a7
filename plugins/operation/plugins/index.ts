// Owns the administration of plugins: their list, settings and switches, adding and removing them, and the restart with
// which changes take effect.
import { type Blueprint, definePlugin } from '#plugin-api'
import { addCommand } from './add-command.ts'
import { checkCommand } from './check-command.ts'
import { listCommands } from './list-command.ts'
import { manifest } from './manifest.ts'
import { createPluginInstalls, type PluginInstalls } from './plugin-installs.ts'
import { createPluginSettings, type PluginSettings } from './plugin-settings.ts'
import { removeCommand } from './remove-command.ts'
import { restartCommand } from './restart-command.ts'
import { adminRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    plugins: {
      /** Returns the blueprint with the plugins that run; the kernel provides it to built-in plugins. */
      blueprint(): Blueprint
      pluginSettings: PluginSettings
      pluginInstalls: PluginInstalls
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.service('pluginSettings', createPluginSettings)
    host.service('pluginInstalls', createPluginInstalls)
    host.routes(adminRoutes)
    for (const command of [...listCommands, checkCommand, addCommand, removeCommand, restartCommand])
      host.command(command)
  },
})
