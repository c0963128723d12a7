import {
  localizedText,
  missingTools,
  nullable,
  objectOf,
  quickPrompts,
  rowOf,
  type TypeOf,
  taskExamples as task_examples,
} from '#plugin-api'

/** GET /agents/:id/chat/welcome. */
export const welcome = {
  title: 'Welcome',
  ...rowOf({
    welcome_message: {
      ...localizedText,
      examples: [{ en: 'Hello! Send me a table.', zh: '您好！请发给我一个表格。' }],
    },
    missing: missingTools,
    quick_prompts: quickPrompts,
    task_examples,
  }),
} as const

/** The query of GET /agents/:id/cron/examples. */
export const examplesQuery = objectOf({
  timezone: {
    type: 'string',
    minLength: 1,
    maxLength: 64,
    default: 'UTC',
    description: 'The IANA name of the time zone of the times',
    examples: ['Europe/Berlin'],
  },
})

const exampleJob = {
  title: 'ExampleSchedule',
  ...rowOf({
    name: { type: 'string', examples: ['Read plan.md and list what is due today'] },
    prompt: { type: 'string', examples: ['Read plan.md and list what is due today.'] },
    schedule: {
      ...nullable(
        rowOf({
          cron: { type: 'string', examples: ['30 8 * * 1-5'] },
          timezone: { type: 'string', examples: ['Europe/Berlin'] },
        }),
      ),
      description: 'Null if the time in the example is not understood',
      examples: [{ cron: '30 8 * * 1-5', timezone: 'Europe/Berlin' }],
    },
  }),
} as const

const jobsDescription = 'Bodies for `POST /agents/{id}/cron`, in the order of the examples'

/** GET /agents/:id/cron/examples. */
export const cronExamples = {
  title: 'CronExamples',
  ...rowOf({
    task_examples,
    jobs: {
      title: 'ExampleSchedules',
      ...rowOf({
        en: { type: 'array', items: exampleJob, description: jobsDescription },
        zh: { type: 'array', items: exampleJob, description: jobsDescription },
      }),
    },
  }),
} as const

/** An example of a task as the body of a new schedule. */
export type ExampleJob = TypeOf<typeof exampleJob>

/** A welcome as the API shows it. */
export type Welcome = TypeOf<typeof welcome>
