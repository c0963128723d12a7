import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The content of `config.json`. */
export type ConfigContent = Record<string, unknown>

/** Replaces `<home>/config.json`, whole or not at all; keeps its mode, and a link that it is. */
export async function writeConfigFile(home: string, content: ConfigContent): Promise<void> {
  const path = join(home, 'config.json')
  const file = existsSync(path) ? await realpath(path) : path
  const mode = existsSync(file) ? (await stat(file)).mode & 0o777 : 0o600
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(draft, 'wx', mode)
    try {
      await handle.chmod(mode)
      await handle.writeFile(`${JSON.stringify(content, undefined, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Returns the content with another section of a plugin; an empty section is left out. */
export function withSection(content: ConfigContent, name: string, section: ConfigContent): ConfigContent {
  const { [name]: _old, ...otherSections } = (content.plugins ?? {}) as Record<string, ConfigContent>
  const plugins = Object.keys(section).length > 0 ? { ...otherSections, [name]: section } : otherSections
  const { plugins: _plugins, ...others } = content
  return Object.keys(plugins).length > 0 ? { ...others, plugins } : others
}

/** Returns the content with other packages; an empty list is left out. */
export function withPackages(content: ConfigContent, packages: readonly string[]): ConfigContent {
  const { packages: _packages, ...others } = content
  return packages.length > 0 ? { ...others, packages } : others
}

/** Lists the packages that the content names. */
export const packagesOf = ({ packages }: ConfigContent): string[] =>
  Array.isArray(packages) ? packages.filter((name) => typeof name === 'string') : []

/** The section of a plugin. */
export function storedSection({ plugins }: ConfigContent, name: string): ConfigContent {
  const section = (plugins as Record<string, ConfigContent> | undefined)?.[name]
  return typeof section === 'object' && section !== null ? section : {}
}
