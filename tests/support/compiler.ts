import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const COMPILER = fileURLToPath(new URL('../../../tests/node_modules/typescript/bin/tsc', import.meta.url))

/**
 * Runs the TypeScript compiler and returns its output, which has the errors. With one thread and rare garbage collection
 * it takes half of the processor time, because several threads check many of the same types.
 */
export async function runCompiler(args: readonly string[]): Promise<string> {
  const env = { ...process.env, GOGC: '400', NODE_V8_COVERAGE: '' }
  const ended = promisify(execFile)(process.execPath, [COMPILER, ...args, '--checkers', '1'], { env })
  const { stdout } = await ended.catch((error) => {
    if (!error.stdout) throw error
    return error
  })
  return stdout
}
