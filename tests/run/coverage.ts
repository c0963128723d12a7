import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'

/**
 * Reports how much of the kernel was covered, from what Node wrote to `folder` (`NODE_V8_COVERAGE`); false if a line,
 * branch, function or statement was not.
 */
export async function reportCoverage(root: string, folder: string): Promise<boolean> {
  const c8 = createRequire(import.meta.url).resolve('c8/bin/c8.js')
  const args = ['report', `--temp-directory=${folder}`, '--include=kernel/**', '--all', '--src=kernel']
  const reporter = ['--reporter=text', '--skip-full', '--check-coverage', '--100', '--merge-async']
  const report = spawn(process.execPath, [c8, ...args, ...reporter], { cwd: root, stdio: 'inherit' })
  const [code] = await once(report, 'exit')
  return code === 0
}
