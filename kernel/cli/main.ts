#!/usr/bin/env node
import { runProgram } from './program.ts'

// A reader that has enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

const { argv, env, stdin, stdout, stderr } = process
process.exitCode = await runProgram(argv.slice(2), { env, stdin, stdout, stderr })
