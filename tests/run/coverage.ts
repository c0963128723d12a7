import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'

/** Files of the kernel that hold types alone, so that nothing of them is ever run. */
const TYPES_ONLY = ['kernel/types.ts', 'kernel/cli/kernel-command.ts']

/**
 * Prints which lines of the kernel were not covered, from what Node wrote to `folder` (`NODE_V8_COVERAGE`); false if
 * there are any, or branches or functions.
 */
export async function reportCoverage(root: string, folder: string): Promise<boolean> {
  const c8 = createRequire(import.meta.url).resolve('c8/bin/c8.js')
  const files = [
    '--all',
    '--src=kernel',
    '--include=kernel/**',
    ...TYPES_ONLY.map((path) => `--exclude=${path}`),
  ]
  const report = spawn(
    process.execPath,
    [
      c8,
      'report',
      `--temp-directory=${folder}`,
      // What is named are sources, what was run was compiled from them.
      '--exclude-after-remap',
      ...files,
      '--reporter=text',
      '--skip-full',
      '--merge-async',
      '--check-coverage',
      '--100',
    ],
    { cwd: root, stdio: 'inherit' },
  )
  const [code] = await once(report, 'exit')
  return code === 0
}
