import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PLUGINS = fileURLToPath(new URL('../../../plugins', import.meta.url))

/** Lists the built-in plugins, sorted by name; `folder` is `<group>/<name>` below `plugins`. */
export const listPluginFolders = (): { name: string; folder: string }[] =>
  readdirSync(PLUGINS)
    .flatMap((group) =>
      readdirSync(join(PLUGINS, group)).map((name) => ({ name, folder: join(group, name) })),
    )
    .sort((one, other) => (one.name < other.name ? -1 : 1))
