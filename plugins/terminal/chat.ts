import { RefusedError, UnreachableError } from './api.ts'
import type { Conversation } from './conversation.ts'
import type { Outcome } from './following.ts'
import type { LineInput } from './line-input.ts'
import type { SlashCommands } from './slash-commands.ts'
import type { View } from './view.ts'
import { LocalFileError } from './workspace-files.ts'

/** The exit code of a program that Ctrl-C ended, by the shells' convention. */
export const INTERRUPTED = 130

/** The exit code of a turn that waits for a decision which nobody made. */
export const UNDECIDED = 3

/** Whether what was to be said next cannot be said after this. */
export const isFinal = (code: number) => code === INTERRUPTED || code === UNDECIDED

/** A path such as `/etc/hosts` begins a message, not a command. */
const isCommand = (text: string) => /^\/[^\s/]*(?:\s|$)/.test(text)

/** Makes the functions that talk: one message, or all that an input brings. Both give the exit code. */
export const createChat = ({ conversation, view }: { conversation: Conversation; view: View }) => {
  /** Says what is to be said of how a turn came out, and gives the exit code. */
  const conclude = (outcome: Outcome | undefined): number => {
    switch (outcome?.kind) {
      case undefined:
        return 0
      case 'done':
        return outcome.stop_reason === 'stopped' ? INTERRUPTED : 0
      case 'failed':
        return 1
      case 'ended':
        view.note('The turn is over, but how it ended was not received.')
        return 1
      case 'paused':
        return UNDECIDED
    }
  }

  return {
    /** Sends one message and shows its answer. */
    sendOne: async (text: string) => conclude(await conversation.send(text)),

    /** Continues a thread without showing it; what waits for a decision there comes first. */
    select: async (thread_id: string) => conclude(await conversation.select(thread_id)),

    /** Shows a thread, and what runs there to its end. */
    open: async (thread_id: string) => conclude(await conversation.open(thread_id)),

    /** Sends each line of a pipe. A turn that fails does not stop the next; one that is interrupted or waits does. */
    async sendAll(input: LineInput, commands: SlashCommands) {
      let code = 0
      for (let text = await input.read(); text !== undefined; text = await input.read()) {
        if (!text.trim()) continue
        const outcome = isCommand(text) ? await commands(text) : await conversation.send(text)
        if (outcome === 'quit') break
        const result = conclude(outcome)
        if (isFinal(result)) return result
        code ||= result
      }
      return code
    },

    /** Talks with a person until they leave. */
    async talk(input: LineInput, commands: SlashCommands) {
      for (;;) {
        view.line('')
        const text = await input.read()
        if (text === undefined) return 0
        if (!text.trim()) continue
        try {
          const outcome = isCommand(text) ? await commands(text) : await conversation.send(text.trimEnd())
          if (outcome === 'quit') return 0
          conclude(outcome)
        } catch (error) {
          if (error instanceof RefusedError) view.fail(error.code, error.message)
          else if (error instanceof UnreachableError) view.fail('UNREACHABLE', error.message)
          else if (error instanceof LocalFileError) view.fail('FILE_UNUSABLE', error.message)
          else throw error
        }
      }
    },
  }
}
