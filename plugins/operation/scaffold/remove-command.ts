import { type Command, ConfigError } from '#plugin-api'
import { describeNext } from './add-command.ts'
import { InstallFailure } from './npm.ts'
import { type ListParts, listAdminPlugins } from './plugin-list.ts'
import { findPlugin, removePlugin } from './removal.ts'

/** `svc plugin remove`: removes the package, folder or link of a plugin, and its settings. */
export const removeCommand: Command<ListParts> = {
  name: 'plugin remove',
  summary: 'Remove a plugin or kind of a third party with its settings; its data stays in the database',
  arguments: [{ name: 'plugin', summary: 'its name, package or folder', required: true }],
  audit: 'plugin.remove',
  async run({ args, home, env, stdout }, cradle) {
    const [name] = args as [string]
    const row = findPlugin(listAdminPlugins(cradle), name)
    if (!row)
      throw new ConfigError(`The plugin "${name}" does not exist. "svc plugin list" shows those that do.`)
    if (row.source === 'built-in')
      throw new ConfigError(
        `"${row.name}" comes with the server. To switch it off, set plugins.${row.name}.enabled to false in config.json.`,
      )
    try {
      await removePlugin(row, { home, env, blueprint: cradle.blueprint() })
    } catch (error) {
      if (error instanceof InstallFailure) throw new ConfigError(error.message)
      throw error
    }
    stdout.write(`Removed ${row.name} (${row.source}) and its settings. Its data stays in the database.\n`)
    stdout.write(`${describeNext(home)}\n`)
    return undefined
  },
}
