import type { Command, CommandInput } from '../command.ts'

/** A command of the kernel itself; it reads the blueprint as it needs. */
export type KernelCommand = Omit<Command, 'run' | 'database'> & {
  run(input: CommandInput): Promise<number>
}
