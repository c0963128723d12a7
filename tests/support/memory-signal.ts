import { appendFileSync } from 'node:fs'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Loaded by `node --import` into a server whose memory is compared: SIGWINCH makes it collect all garbage, and add the
// bytes that it then holds to the file in TEST_MEMORY_FILE, as a line of JSON. What V8 keeps about functions grows for as
// long as some of them become hot, to several MiB: so none is optimized, and records of types and bytecode are made once
// and stay. Machine code does not count.

const flags = [
  '--expose-gc',
  '--no-opt',
  '--no-sparkplug',
  '--no-lazy-feedback-allocation',
  '--no-flush-bytecode',
]
for (const flag of flags) setFlagsFromString(flag)
const collect = runInNewContext('gc') as () => void
process.on('SIGWINCH', () => {
  collect()
  const spaces = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith('code'))
  const heap = spaces.reduce((sum, { space_used_size }) => sum + space_used_size, 0)
  const resident = process.memoryUsage.rss()
  appendFileSync(process.env.TEST_MEMORY_FILE!, `${JSON.stringify({ at: Date.now(), heap, resident })}\n`)
})
