import type { Outcome } from './following.ts'

/** A command of `svc chat`; it returns the outcome of a turn that it followed, or `quit` to leave. */
export interface SlashCommand {
  usage: string
  summary: string
  run(argument: string): Promise<Outcome | undefined> | 'quit' | undefined
}
