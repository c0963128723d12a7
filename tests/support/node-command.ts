/** Set by tap: whether what this test file runs counts for the coverage. */
const isCovered = process.env._TAPJS_PROCESSINFO_COVERAGE_ === '1'

/**
 * The command that runs Node with these arguments for a moment, to be spread into `spawn`. So short a life is
 * better spent without optimized code, and where it does not count for the coverage without the hooks that tap
 * puts into every Node process, which nearly double the CPU time of a start.
 */
export const nodeCommand = (args: readonly string[]): [file: string, args: readonly string[]] =>
  isCovered
    ? [process.execPath, ['--no-opt', ...args]]
    : ['env', ['-u', 'NODE_OPTIONS', process.execPath, '--no-opt', ...args]]
