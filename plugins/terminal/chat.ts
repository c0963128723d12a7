import { RefusedError, UnreachableError } from './api.ts'
import type { Approval } from './approval.ts'
import type { Conversation, Outcome } from './conversation.ts'
import type { LineInput } from './line-input.ts'
import type { SlashCommands } from './slash-commands.ts'
import type { View } from './view.ts'

/** The exit code of a program that Ctrl-C ended, by the shells' convention. */
export const INTERRUPTED = 130

/** A path such as `/etc/hosts` begins a message, not a command. */
const isCommand = (text: string) => /^\/[^\s/]*(?:\s|$)/.test(text)

/** Makes the functions that talk: one message, or all that an input brings. Both give the exit code. */
export const createChat = ({
  conversation,
  approval,
  view,
}: {
  conversation: Conversation
  /** None when there is nobody to ask. */
  approval: Approval | undefined
  view: View
}) => {
  const finish = async (outcome: Outcome): Promise<number> => {
    switch (outcome.kind) {
      case 'done':
        return outcome.stop_reason === 'stopped' ? INTERRUPTED : 0
      case 'failed':
        return 1
      case 'ended':
        view.note('The turn is over, but how it ended was not received.')
        return 1
      case 'paused': {
        if (!approval) {
          view.note(
            `The turn waits for approval. Decide it with: svc chat --thread ${outcome.request.thread_id}`,
          )
          return 1
        }
        const decisions = await approval(outcome.request)
        const next = decisions
          ? conversation.resume(outcome.request, decisions)
          : conversation.abandon(outcome.request)
        return finish(await next)
      }
    }
  }

  return {
    /** Sends one message and shows its answer. */
    sendOne: async (text: string) => finish(await conversation.send(text)),

    /** Shows a thread, and what runs there to its end. */
    async open(thread_id: string) {
      const outcome = await conversation.open(thread_id)
      if (outcome) await finish(outcome)
    },

    /** Sends each line of a pipe. A turn that fails does not stop the next; one that is interrupted does. */
    async sendAll(input: LineInput, commands: SlashCommands) {
      let code = 0
      for (let text = await input.read(); text !== undefined; text = await input.read()) {
        if (!text.trim()) continue
        const outcome = isCommand(text) ? await commands(text) : await conversation.send(text)
        if (outcome === 'quit') break
        const result = outcome ? await finish(outcome) : 0
        if (result === INTERRUPTED) return result
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
          if (outcome) await finish(outcome)
        } catch (error) {
          if (error instanceof RefusedError) view.fail(error.code, error.message)
          else if (error instanceof UnreachableError) view.fail('UNREACHABLE', error.message)
          else throw error
        }
      }
    },
  }
}
