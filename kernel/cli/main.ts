#!/usr/bin/env node
import { runProgram } from './program.ts'

// A reader such as `head` may close the pipe early, which is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

// A full disk or a reader that has ended must not end the process.
process.stderr.on('error', () => undefined)

/** The time for which timers and sockets that a plugin has left behind may keep the process, in milliseconds. */
const LEFTOVER_MS = 250

const { argv, env, stdin, stdout, stderr } = process
process.exitCode = await runProgram(argv.slice(2), { env, stdin, stdout, stderr })
// Output waits in this process if its reader is slow.
await Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))))
// Unreferenced, it does not keep a process in which nothing was left behind.
setTimeout(() => process.exit(), LEFTOVER_MS).unref()
