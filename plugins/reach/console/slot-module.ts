import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A module for browsers, in the folder of a plugin. */
export interface SlotModule {
  /** The real path of the plugin's folder. */
  root: string
  /** The real path of the module's folder, which everybody may load. */
  folder: string
  /** The path of the module in the plugin's folder, with slashes. */
  name: string
}

/** The names that are served. */
const NAME = /^([\w-][\w.-]*\/)*[\w-][\w.-]*\.m?js$/

/** True if a real path is in a folder. */
export const isInside = (path: string, folder: string): boolean => path.startsWith(folder + sep)

/** Finds a module, a path in the folder of its plugin or a `file:` URL; throws one sentence if it cannot be served. */
export function locateModule(module: string, plugin: string): SlotModule {
  const refuse = (what: string): never => {
    throw new Error(`the module ${module} ${what}`)
  }
  const path = toPath(module, plugin) ?? refuse('is not a path in the folder of the plugin, nor a file: URL')
  if (!existsSync(path)) refuse(`does not exist: there is no file ${path}`)
  const file = realpathSync(path)
  const folder = dirname(file)
  // A plugin that a test hands over has no folder.
  const root = isAbsolute(plugin) ? realpathSync(plugin) : dirname(folder)
  if (!isInside(file, root)) refuse(`is outside of the plugin's folder ${root}`)
  const name = relative(root, file).replaceAll(sep, '/')
  if (!NAME.test(name))
    refuse('must end with .js or .mjs, and its path may have letters, digits, ".", "_" and "-"')
  if (folder === root || existsSync(join(folder, 'package.json')))
    refuse('needs a folder of its own, because everybody may load what is in that folder')
  return { root, folder, name }
}

function toPath(module: string, folder: string): string | undefined {
  if (!module.startsWith('file:')) return isAbsolute(module) ? undefined : join(folder, module)
  try {
    return fileURLToPath(module)
  } catch {
    return undefined
  }
}
