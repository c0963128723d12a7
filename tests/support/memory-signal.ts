import { appendFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Loaded by `node --import` into a server whose memory is compared: SIGUSR2 makes it collect all garbage, and add the
// bytes that it then holds to the file in TEST_MEMORY_FILE, as a line of JSON.

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
process.on('SIGUSR2', () => {
  collect()
  const { heapUsed: heap, rss: resident } = process.memoryUsage()
  appendFileSync(process.env.TEST_MEMORY_FILE!, `${JSON.stringify({ at: Date.now(), heap, resident })}\n`)
})
