import { localizedText, rowOf, type TypeOf } from '#kernel'

const examples = { type: 'array', items: { type: 'string' }, description: '3 or 6 tasks' } as const
const task_examples = rowOf({ en: examples, zh: examples })

/** GET /agents/:id/chat/welcome. */
export const welcome = {
  title: 'Welcome',
  ...rowOf({
    welcome_message: localizedText,
    quick_prompts: {
      type: 'array',
      items: rowOf({ title: localizedText, description: localizedText, prompt: localizedText }),
    },
    task_examples,
  }),
} as const

/** GET /agents/:id/cron/examples. */
export const cronExamples = {
  title: 'CronExamples',
  ...rowOf({ task_examples }),
} as const

/** A welcome as the API shows it. */
export type Welcome = TypeOf<typeof welcome>
