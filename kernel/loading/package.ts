import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that holds `plugins/`, `channels/` and `providers/` as they are run. */
export const BUILT_IN_ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

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

const COMMIT_FILE = join(BUILT_IN_ROOT, 'commit')

/** The commit that was built, ending in `-dirty` if its sources were changed; null without one. */
export const COMMIT = existsSync(COMMIT_FILE) ? readFileSync(COMMIT_FILE, 'utf8').trim() : null

/** The words that start `svc` in a terminal: an installation has it in its path, a clone does not. */
export const SVC_COMMAND = existsSync(join(PACKAGE_ROOT, 'tests')) ? 'npx svc' : 'svc'

/** The version with its commit, for people. */
export const RELEASE = COMMIT ? `${VERSION} (${COMMIT})` : VERSION
