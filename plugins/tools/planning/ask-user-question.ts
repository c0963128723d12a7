import { objectOf, type TypeOf } from '#kernel'
import type { Tool } from '#plugin-api'

const input = objectOf(
  {
    question: {
      type: 'string',
      minLength: 1,
      maxLength: 4000,
      description: 'The question, in the language of the user, with what they need to know to answer it.',
    },
    options: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 500 },
      maxItems: 8,
      description: 'Answers to choose from; the user may also answer in other words. Default: none.',
    },
  },
  ['question'],
)

/** Asks the user something and ends the turn with it. */
export const askUserQuestion: Tool = {
  name: 'ask_user_question',
  label: { en: 'Ask the user', zh: '询问用户' },
  description: `Asks the user a question and returns their answer, however long they take.
Use it when you cannot continue without their decision or something that only they know: a choice between ways that lead to different results, a missing detail that cannot be looked up, or before something that cannot be undone.
Do not use it for what you can find out or decide yourself, to ask if you should continue, or to say that you are done. Ask one thing at a time, and do what can be done without the answer before you ask.`,
  input_schema: input,
  disableable: true,
  top_level_only: true,
  execute({ question, options = [] }: TypeOf<typeof input>, { ask }) {
    const choices = options.map((option, index) => `${index + 1}. ${option}`)
    return ask([question, ...(choices.length > 0 ? [choices.join('\n')] : [])].join('\n\n'))
  },
}
