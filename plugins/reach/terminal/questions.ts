import type { LineInput } from './line-input.ts'
import { clean } from './printable.ts'
import type { Prompt } from './prompt.ts'
import type { View } from './view.ts'

/** The sign for a line break in a text that is edited on one line. */
const LINE_BREAK = '↵'
/** The longest text that is put into the input line. */
const MAX_OFFERED_CHARS = 4000

/** Creates the questions of commands, whose answers are lines of the input; a terminal offers a text to edit. */
export const createQuestions = ({
  prompt,
  input,
  view,
}: {
  /** Set if a person types. */
  prompt: Prompt | undefined
  input: LineInput
  view: View
}) => {
  let open: AbortController | undefined

  const askPerson = async (terminal: Prompt, label: string, offered: string | undefined) => {
    const question = new AbortController()
    open = question
    return terminal
      .ask(`${label} › `, { signal: question.signal, ...(offered !== undefined && { offered }) })
      .finally(() => {
        open = undefined
      })
  }

  return {
    /** Returns the answer; undefined if it was withdrawn, or the input has ended. */
    async ask(label: string): Promise<string | undefined> {
      if (prompt) return askPerson(prompt, label, undefined)
      view.note(`${label}:`)
      return input.read()
    },

    /** Returns the changed text, or the whole new text if this one cannot be edited. */
    async edit(label: string, text: string): Promise<string | undefined> {
      if (!prompt) return this.ask(label)
      if (text.length > MAX_OFFERED_CHARS || text.includes(LINE_BREAK)) {
        view.note('This text cannot be edited on one line. Type the whole new text.')
        return this.ask(label)
      }
      const offered = clean(text).replace(/[\n\u2028\u2029]/g, LINE_BREAK)
      if (offered.includes(LINE_BREAK)) view.note(`${LINE_BREAK} is a line break.`)
      const answer = await askPerson(prompt, label, offered)
      return answer?.replaceAll(LINE_BREAK, '\n')
    },

    /** Withdraws the open question; returns false if there is none. */
    cancel(): boolean {
      open?.abort()
      return open !== undefined
    },
  }
}

/** The questions of commands. */
export type Questions = ReturnType<typeof createQuestions>
