// Owns what is installed in a home: the list of plugins, their packages and folders, and the templates of new ones.
import { type Blueprint, definePlugin } from '#plugin-api'
import { addCommand } from './add-command.ts'
import { checkCommand } from './check-command.ts'
import { listCommands } from './list-command.ts'
import { manifest } from './manifest.ts'
import { newCommand } from './new-command.ts'
import { createPluginTools, type PluginTools } from './plugin-tools.ts'
import { removeCommand } from './remove-command.ts'
import { restartCommand } from './restart-command.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    scaffold: {
      /** Returns the blueprint with the plugins that run; the kernel provides it to built-in plugins. */
      blueprint(): Blueprint
    }
  }
  interface Services {
    scaffold: { pluginTools: PluginTools }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.provide('pluginTools', createPluginTools)
    for (const command of [...listCommands, newCommand, checkCommand, restartCommand]) host.command(command)
    host.command(addCommand)
    host.command(removeCommand)
  },
})
