import { RefusedError } from './api.ts'
import type { Conversation } from './conversation.ts'
import type { Outcome } from './following.ts'
import type { SavedPrompt } from './frames.ts'
import { shorten } from './printable.ts'
import type { Questions } from './questions.ts'
import type { Session } from './session.ts'
import type { SlashCommand } from './slash-command.ts'
import type { View } from './view.ts'

const TEXT_COLUMNS = 60
const LISTED_PROMPTS = 50
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]{0,63}$/u
/** Braces around a name; only the variables that the server lists are filled in. */
const VARIABLE = /\{\{[ \t]*([^\s{}]+)[ \t]*\}\}/g
/** The variable that nobody is asked for. */
const DATE = 'date'

/** Creates the commands of saved prompts: the list of them, and each by its name. */
export const createPromptCommands = ({
  session,
  conversation,
  questions,
  view,
}: {
  session: Session
  conversation: Conversation
  questions: Questions
  view: View
}) => {
  const findPrompts = (beginning: string) => {
    const query = beginning ? `&q=${encodeURIComponent(beginning)}` : ''
    return session.readPage<SavedPrompt>(`/prompts?limit=${LISTED_PROMPTS}${query}`)
  }

  /** Asks for the variables of a prompt one by one; returns the filled text, undefined once a question is withdrawn. */
  const fill = async ({ text, variables }: SavedPrompt): Promise<string | undefined> => {
    const values = new Map([[DATE, new Date().toLocaleDateString(undefined, { dateStyle: 'long' })]])
    for (const name of variables) {
      if (name === DATE) continue
      const value = await questions.ask(name.replaceAll('_', ' '))
      if (value === undefined) return undefined
      values.set(name, value.trim())
    }
    return text.replace(VARIABLE, (braces, name: string) => values.get(name) ?? braces)
  }

  return {
    commands: {
      prompts: {
        usage: '/prompts [NAME]',
        summary: 'list the saved prompts, or those whose names begin like this',
        async run(argument) {
          const { rows, next } = await findPrompts(argument.replace(/^\//, ''))
          if (rows.length === 0) view.note('There are no such prompts. You save them in the console.')
          for (const { name, description, text } of rows)
            view.line(`/${name}  ${shorten(description || text, TEXT_COLUMNS)}`)
          if (next !== undefined) view.note(`Only the first ${LISTED_PROMPTS} are shown: /prompts NAME`)
          return undefined
        },
      },
    } satisfies Record<string, SlashCommand>,

    /**
     * Sends the saved prompt with this name, and `addition` below it; returns `unknown` if there is none. Of several with
     * the name, one's own comes first.
     */
    async send(name: string, addition: string): Promise<Outcome | 'unknown' | undefined> {
      if (!NAME.test(name)) return 'unknown'
      const { rows } = await findPrompts(name).catch((error: unknown) => {
        // The server has no saved prompts.
        if (error instanceof RefusedError && error.status === 404) return { rows: [] }
        throw error
      })
      const prompt = rows.find((row) => row.name.toLowerCase() === name.toLowerCase())
      if (!prompt) return 'unknown'
      const filled = await fill(prompt)
      if (filled === undefined) {
        view.note('Nothing was sent.')
        return undefined
      }
      const text = addition ? `${filled}\n\n${addition}` : filled
      view.note(text)
      return conversation.send(text)
    },
  }
}
