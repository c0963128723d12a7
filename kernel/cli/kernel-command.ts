import type { Command, CommandInput } from '../contract/command.ts'

/** A command of the kernel itself, which reads the blueprint only if it needs it. */
export type KernelCommand = Omit<Command, 'run' | 'database'> & {
  run(input: CommandInput): Promise<number>
}
