import { rowOf, type TypeOf } from '#kernel'
import type { Tool } from '#plugin-api'

const input = rowOf({
  description: {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    description: 'What the task is, in a few words, for the user to read.',
  },
  instruction: {
    type: 'string',
    minLength: 1,
    maxLength: 100_000,
    description:
      'All that is needed to carry it out: the aim, what is known, paths and URLs, what not to do, and what exactly the answer is to contain.',
  },
})

/** Has a subagent carry out a task and returns its last answer. */
export const task: Tool = {
  name: 'task',
  label: { en: 'Delegate a task', zh: '委派任务' },
  description: `Has a subagent carry out one task in a conversation of its own, with the same workspace and most of your tools, and returns its last answer.
Use it for a piece of work that can be described completely, takes many steps (searching through many files or pages, for instance) and of which you need only the result; call it several times in one answer to have independent tasks carried out at the same time.
Do not use it for what you can do in a step or two, or if you will need the details. The subagent sees nothing of this conversation, cannot ask back and cannot delegate: it knows only the instruction. The user does not see its answer: tell them what matters.`,
  input_schema: input,
  disableable: false,
  top_level_only: true,
  async execute({ instruction }: TypeOf<typeof input>, { delegate }) {
    const answer = await delegate(instruction)
    return answer.trim() ? answer : '(the subagent ended without an answer)'
  },
}
