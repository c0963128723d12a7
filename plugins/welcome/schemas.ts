import { localizedText, objectOf, type TypeOf } from '#kernel'

const examples = { type: 'array', items: { type: 'string' }, description: '3 or 6 tasks' } as const
const task_examples = objectOf({ en: examples, zh: examples }, ['en', 'zh'])

/** GET /agents/:id/chat/welcome. */
export const welcome = {
  title: 'Welcome',
  ...objectOf(
    {
      welcome_message: localizedText,
      quick_prompts: {
        type: 'array',
        items: objectOf({ title: localizedText, description: localizedText, prompt: localizedText }, [
          'title',
          'description',
          'prompt',
        ]),
      },
      task_examples,
    },
    ['welcome_message', 'quick_prompts', 'task_examples'],
  ),
} as const

/** GET /agents/:id/cron/examples. */
export const cronExamples = {
  title: 'CronExamples',
  ...objectOf({ task_examples }, ['task_examples']),
} as const

/** A welcome as the API shows it. */
export type Welcome = TypeOf<typeof welcome>
