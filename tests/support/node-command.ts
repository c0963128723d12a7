/**
 * The command that runs Node with these arguments for a moment, to be spread into `spawn`. So short a life is better
 * spent without optimized code.
 */
export const nodeCommand = (args: readonly string[]): [file: string, args: readonly string[]] => [
  process.execPath,
  ['--no-opt', ...args],
]
