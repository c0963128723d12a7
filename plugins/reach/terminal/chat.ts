import { RefusedError, UnreachableError } from './api.ts'
import type { Conversation } from './conversation.ts'
import type { Outcome } from './following.ts'
import type { LineInput } from './line-input.ts'
import type { SlashCommands } from './slash-commands.ts'
import type { View } from './view.ts'
import { LocalFileError } from './workspace-files.ts'

/** The exit code of a program that Ctrl-C ended, by the shells' convention. */
export const INTERRUPTED = 130

/** The exit code of a turn that waits for a decision. */
const UNDECIDED = 3

/** True if no further message can be sent after this exit code. */
export const isFinal = (code: number) => code === INTERRUPTED || code === UNDECIDED

const RETRY = 'Try again with /retry, or with another model: /retry MODEL.'

/** A path such as `/etc/hosts` begins a message, not a command. */
const isCommand = (text: string) => /^\/[^\s/]*(?:\s|$)/.test(text)

/** Creates the functions that send one message, or every line of an input; they return the exit code. */
export const createChat = ({ conversation, view }: { conversation: Conversation; view: View }) => {
  /** Shows a remark about the outcome of a turn, if it needs one, and returns the exit code. */
  const conclude = (outcome: Outcome | undefined): number => {
    switch (outcome?.kind) {
      case undefined:
        return 0
      case 'done':
        return outcome.stop_reason === 'stopped' ? INTERRUPTED : 0
      case 'failed':
        return 1
      case 'ended':
        view.note('The turn ended, but its result was not received.')
        return 1
      case 'paused':
        return UNDECIDED
    }
  }

  return {
    /** Sends one message and shows its answer. */
    sendOne: async (text: string) => conclude(await conversation.send(text)),

    /** Continues a thread without showing it; if its turn waits for a decision, that comes first. */
    select: async (thread_id: string) => conclude(await conversation.select(thread_id)),

    /** Shows a thread, and its running turn to the end. */
    open: async (thread_id: string) => conclude(await conversation.open(thread_id)),

    /** Sends each line of a pipe. A failed turn does not stop the next; an interrupted or waiting turn does. */
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

    /** Talks with a person until that person leaves. */
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
          if (outcome?.kind === 'failed') view.note(RETRY)
        } catch (error) {
          if (error instanceof RefusedError) view.fail(error.code, error.message)
          else if (error instanceof UnreachableError) view.fail('UNREACHABLE', error.message)
          else if (error instanceof LocalFileError) view.fail('FILE_UNUSABLE', error.message)
          else throw error
          if (!isCommand(text)) view.note(RETRY)
        }
      }
    },
  }
}
