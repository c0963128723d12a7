import { appendFileSync } from 'node:fs'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Loaded by `node --import` into a server whose memory is compared: SIGUSR2 makes it collect all garbage, and add the
// bytes that it then holds to the file in TEST_MEMORY_FILE, as a line of JSON. Compiled code does not count: there is more
// of it the longer a server works, up to all that it runs often.

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
process.on('SIGUSR2', () => {
  collect()
  const spaces = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith('code'))
  const heap = spaces.reduce((sum, { space_used_size }) => sum + space_used_size, 0)
  const resident = process.memoryUsage.rss()
  appendFileSync(process.env.TEST_MEMORY_FILE!, `${JSON.stringify({ at: Date.now(), heap, resident })}\n`)
})
