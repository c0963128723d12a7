import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'

/** Files of the kernel that hold types alone, so that nothing of them is ever run. */
const TYPES_ONLY = ['types.js', 'cli/kernel-command.js']

/**
 * Reports which lines, branches and functions of the kernel were not covered, from what Node wrote to `folder`
 * (`NODE_V8_COVERAGE`).
 */
export async function reportCoverage(
  root: string,
  folder: string,
): Promise<{ isWhole: boolean; report: string }> {
  const c8 = createRequire(import.meta.url).resolve('c8/bin/c8.js')
  // What was run; the report names the sources.
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
    isWhole: code === 0,
    report: code === 0 ? '\nThe kernel is covered whole.' : `\n${table}\n${errors}`,
  }
}
