import { objectOf, rowOf } from '#plugin-api'

/** POST /agents/:id/chat/polish. */
export const draft = objectOf(
  {
    prompt: {
      type: 'string',
      maxLength: 20_000,
      pattern: '\\S',
      description: 'The draft',
      examples: ['make table better'],
    },
    default_model: {
      type: 'string',
      maxLength: 512,
      description: "As `<provider>:<model>`, instead of the agent's model",
    },
  },
  ['prompt'],
)

/** The answer of the same route. */
export const polishedPrompt = {
  title: 'PolishedPrompt',
  ...rowOf({
    text: {
      type: 'string',
      description: 'The improved prompt',
      examples: ['Sort the table in sales.csv by month and add a row with totals.'],
    },
  }),
} as const
