import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'

/** Kernel files that contain only types, so that no line of them ever runs. */
const TYPES_ONLY = ['http/call.js']

/**
 * Reports the lines, branches and functions of the kernel that were not covered, from the files that Node.js wrote to
 * `folder` (`NODE_V8_COVERAGE`).
 */
export async function reportCoverage(
  root: string,
  folder: string,
): Promise<{ isComplete: boolean; report: string }> {
  const c8 = createRequire(import.meta.url).resolve('c8/bin/c8.js')
  // The compiled files that ran; c8 maps them to the sources in its report.
  const files = [
    '--all',
    '--src=dist/kernel',
    '--include=dist/kernel/**/*.js',
    ...TYPES_ONLY.map((path) => `--exclude=dist/kernel/${path}`),
  ]
  const child = spawn(
    process.execPath,
    [
      c8,
      'report',
      `--temp-directory=${folder}`,
      ...files,
      '--reporter=text',
      '--skip-full',
      '--merge-async',
      '--check-coverage',
      '--100',
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const [table, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return {
    isComplete: code === 0,
    report: code === 0 ? '\nThe kernel is fully covered.' : `\n${table}\n${errors}`,
  }
}
