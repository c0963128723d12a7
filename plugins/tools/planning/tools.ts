import { objectOf, rowOf, type Tool, type TypeOf } from '#plugin-api'

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

const todosInput = rowOf({
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
  label: { en: 'Update the plan', zh: '更新计划' },
  description: `Writes down your plan for work of several steps, so that the user can follow it and you do not lose track of it.
Use it when a request needs three steps or more, or names several things to do: write the plan before you begin, keep one step in_progress, and write it again whenever a step is completed or the plan changes. Mark a step completed only when it is wholly done.
Do not use it for a simple request, a question or a conversation: just answer.`,
  input_schema: todosInput,
  disableable: false,
  execute({ todos }: TypeOf<typeof todosInput>) {
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

const taskInput = rowOf({
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
  input_schema: taskInput,
  disableable: false,
  top_level_only: true,
  async execute({ instruction }: TypeOf<typeof taskInput>, { delegate }) {
    const answer = await delegate(instruction)
    return answer.trim() ? answer : '(the subagent ended without an answer)'
  },
}

const questionInput = objectOf(
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
    multiple: {
      type: 'boolean',
      description: 'True if the user may choose several of the options. Default: false.',
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
  input_schema: questionInput,
  disableable: true,
  top_level_only: true,
  execute({ question, options = [] }: TypeOf<typeof questionInput>, { ask }) {
    const choices = options.map((option, index) => `${index + 1}. ${option}`)
    return ask([question, ...(choices.length > 0 ? [choices.join('\n')] : [])].join('\n\n'))
  },
}
