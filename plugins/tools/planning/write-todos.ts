import { rowOf, type TypeOf } from '#kernel'
import type { Tool } from '#plugin-api'

const todo = rowOf({
  content: {
    type: 'string',
    minLength: 1,
    maxLength: 500,
    description: 'The step, as a short instruction.',
  },
  status: {
    enum: ['pending', 'in_progress', 'completed'],
    description: 'pending: not begun; in_progress: being worked on now; completed: wholly done.',
  },
})

const input = rowOf({
  todos: {
    type: 'array',
    items: todo,
    maxItems: 100,
    description: 'The whole plan in the order of the work; it replaces the previous one.',
  },
})

type Todo = TypeOf<typeof todo>

const MARKS: Record<Todo['status'], string> = { pending: '[ ]', in_progress: '[>]', completed: '[x]' }

/** Records the agent's plan, which the user sees as the tool call. */
export const writeTodos: Tool = {
  name: 'write_todos',
  label: { en: 'Write the plan', zh: '编写计划' },
  description: `Writes down your plan for work of several steps, so that the user can follow it and you do not lose track of it.
Use it when a request needs three steps or more, or names several things to do: write the plan before you begin, keep one step in_progress, and write it again whenever a step is completed or the plan changes. Mark a step completed only when it is wholly done.
Do not use it for a simple request, a question or a conversation: just answer.`,
  input_schema: input,
  disableable: false,
  execute({ todos }: TypeOf<typeof input>) {
    if (todos.length === 0) return 'The plan is empty.'
    const count = (status: Todo['status']) => todos.filter((todo) => todo.status === status).length
    const begun = count('in_progress')
    return [
      `The plan: ${count('completed')} of ${todos.length} completed, ${begun} in progress, ${count('pending')} pending.`,
      ...todos.map(
        ({ content, status }, index) =>
          `${index + 1}. ${MARKS[status]} ${content.replace(/\s+/g, ' ').trim()}`,
      ),
      ...(begun > 1
        ? [`${begun} steps are in progress at once; keep to one, unless they really go on side by side.`]
        : []),
    ].join('\n')
  },
}
