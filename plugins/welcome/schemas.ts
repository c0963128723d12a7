import { localizedText, rowOf, type TypeOf } from '#kernel'
import { quickPrompts, taskExamples as task_examples } from '#plugin-api'

/** GET /agents/:id/chat/welcome. */
export const welcome = {
  title: 'Welcome',
  ...rowOf({
    welcome_message: {
      ...localizedText,
      examples: [{ en: 'Hello! Send me a table.', zh: '您好！请发给我一个表格。' }],
    },
    quick_prompts: quickPrompts,
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
