import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BUILT_IN_ROOT } from './discovery.ts'

/** The version of this package. */
export const VERSION: string = JSON.parse(
  readFileSync(join(dirname(BUILT_IN_ROOT), 'package.json'), 'utf8'),
).version
