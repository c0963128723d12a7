import { readdirSync } from 'node:fs'
import { dirname, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

/** How long one file may take, in milliseconds, and all of them. */
const FILE_MS = 300_000
const ALL_MS = 2_400_000

const self = fileURLToPath(import.meta.url)
const folder = dirname(self)

/** Every test file but the kernel's, whose coverage is measured. */
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js') && !file.startsWith(`kernel${sep}`))
  .filter((file) => file !== relative(folder, self))
  .sort()

// The hooks with which tap measures double the processor time of a file; nothing measures these.
t.jobs = 2
t.setTimeout(ALL_MS)
for (const file of files)
  t.spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, `${folder}${sep}${file}`], {
    name: file,
    buffered: true,
    timeout: FILE_MS,
    env: { ...process.env, TAP_TIMEOUT: String(FILE_MS / 1000) },
  })
