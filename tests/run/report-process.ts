import { renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import type { ProcessReport } from './costs.ts'

// Loaded by `node --import` into every process that a profiled run of the tests starts. Writes the kind of the process
// and its processor time to the folder in this module's query string, repeatedly, because the process may be killed.

const EVERY_MS = 250

const [, program = '', command = ''] = process.argv
const path = `${new URL(import.meta.url).searchParams.get('to')}/${process.pid}`

const kind: ProcessReport['kind'] = program.endsWith('/engine-process.js')
  ? 'engine'
  : !program.endsWith('/cli/main.js')
    ? 'other'
    : command === 'serve'
      ? 'server'
      : 'command'

/** A process that runs tests measures itself, and a thread shares its time with its process. */
const isMeasured = isMainThread && !program.endsWith('/run/worker.js')

function report() {
  const { user, system } = process.cpuUsage()
  writeFileSync(`${path}.new`, JSON.stringify({ pid: process.pid, kind, cpu: (user + system) / 1000 }))
  renameSync(`${path}.new`, `${path}.json`)
}

if (isMeasured) {
  report()
  setInterval(report, EVERY_MS).unref()
  process.on('exit', report)
}
