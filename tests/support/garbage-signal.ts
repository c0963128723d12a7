import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Loaded by `node --import` into a server whose memory is compared: SIGUSR2 makes it collect all garbage.

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
process.on('SIGUSR2', collect)
