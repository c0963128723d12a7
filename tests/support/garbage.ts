import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects all garbage of this process at once. */
export const collectGarbage: () => void = runInNewContext('gc')
