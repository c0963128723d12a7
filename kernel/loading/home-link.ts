import { existsSync, mkdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PACKAGE_NAME, PACKAGE_ROOT } from './package.ts'

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
