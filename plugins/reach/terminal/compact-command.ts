import type { Compaction, Conversation } from './conversation.ts'
import type { SlashCommand } from './slash-command.ts'
import type { View } from './view.ts'

/** Creates the command that has earlier messages summarized for the model, and shows the summary. */
export const createCompactCommand = ({
  conversation,
  view,
}: {
  conversation: Conversation
  view: View
}): Record<string, SlashCommand> => {
  /** The last summary, and the thread that it is of. */
  let last: (Compaction & { thread_id: string | undefined }) | undefined

  const showSummary = () => {
    if (last && last.thread_id === conversation.thread_id) view.line(last.summary)
    else view.note('There is no new summary of this thread. /compact makes one.')
    return undefined
  }

  return {
    compact: {
      usage: '/compact [show]',
      summary: 'summarize earlier messages for the model, or show that summary',
      async run(argument) {
        if (argument === 'show') return showSummary()
        if (argument) {
          view.note('/compact summarizes earlier messages; /compact show shows the summary.')
          return undefined
        }
        view.wait()
        const compaction = await conversation.compact()
        if (!compaction) {
          view.note('There is nothing to summarize yet.')
          return undefined
        }
        const { thread_id } = conversation
        last = { ...compaction, thread_id }
        const { messages } = compaction
        const earlier = messages === 1 ? '1 earlier message was' : `${messages} earlier messages were`
        view.note(`${earlier} summarized for the model. Read the summary with: /compact show`)
        return undefined
      },
    },
  }
}
