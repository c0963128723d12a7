import { existsSync, mkdirSync, readFileSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that holds `plugins/`, `channels/` and `providers/` as they are run. */
export const BUILT_IN_ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The source of built-in plugins; other sources are a package's name or a folder's path. */
export const BUILT_IN = 'built-in'

/** The folder of this package, whose own `package.json` it holds. */
export const PACKAGE_ROOT = dirname(BUILT_IN_ROOT)

/** The package.json of this package. */
export const OWN_PACKAGE: {
  name: string
  version: string
  dependencies: Record<string, string>
} = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'))

/** The name and the version of this package. */
export const { name: PACKAGE_NAME, version: VERSION } = OWN_PACKAGE

/** Facts of the build: its commit, ending in `-dirty` if sources were changed, or null; and the words that start `svc`. */
export const { commit: COMMIT, command: SVC_COMMAND }: { commit: string | null; command: string } =
  JSON.parse(readFileSync(join(BUILT_IN_ROOT, 'build.json'), 'utf8'))

/** The version with its commit, for people. */
export const RELEASE = [VERSION, COMMIT && `(${COMMIT})`].filter(Boolean).join(' ')

/**
 * Lets code in the home import this server by its package's name, e.g. its `plugin-api`, without installing anything:
 * `<home>/node_modules/<name>` links to the running server. A package that is really installed there stays.
 */
export function linkServer(home: string): void {
  const link = join(home, 'node_modules', PACKAGE_NAME)
  const target = targetOf(link)
  if (target === PACKAGE_ROOT || (target === undefined && existsSync(link))) return
  mkdirSync(dirname(link), { recursive: true })
  // Another process of the same home may be doing the same.
  const draft = `${link}.${process.pid}`
  symlinkSync(PACKAGE_ROOT, draft, 'junction')
  renameSync(draft, link)
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}
