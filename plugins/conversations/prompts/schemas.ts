import { managedRow, objectOf, pageQuery, rowOf } from '#plugin-api'

const time = { type: 'integer', description: 'Unix seconds', examples: [1_893_456_000] } as const
const promptId = { type: 'string', examples: ['prm_01KDVMF0000000000000000001'] } as const

const settings = {
  name: {
    type: 'string',
    minLength: 1,
    maxLength: 64,
    pattern: '^[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}_-]*$',
    description:
      'What you type behind `/`: letters and digits of any language, `-` and `_`. Unique among your own prompts, whatever the case',
    examples: ['weekly-report'],
  },
  description: {
    type: ['string', 'null'],
    maxLength: 500,
    description: 'What it is for',
    examples: ['The report for Monday'],
  },
  text: {
    type: 'string',
    minLength: 1,
    maxLength: 8000,
    pattern: '\\S',
    description: 'The prompt; `{{topic}}` is a variable, and `{{date}}` the date of today',
    examples: ['Write the weekly report of {{team}} as of {{date}}.'],
  },
  shared: { type: 'boolean', description: 'True if it is shared with everybody', examples: [false] },
} as const

/** The path of a prompt. */
export const promptParams = rowOf({
  id: { ...promptId, description: 'A prompt of yours, or one that is shared with you' },
})

/** The query of the list. */
export const promptQuery = objectOf({
  ...pageQuery,
  q: {
    type: 'string',
    minLength: 1,
    maxLength: 64,
    description: 'The beginning of the names, whatever the case',
    examples: ['week'],
  },
})

/** The settings of a new prompt. */
export const newPrompt = objectOf(settings, ['name', 'text'])

/** The changes of a prompt. */
export const promptChanges = { ...objectOf(settings), minProperties: 1 } as const

/** A prompt as the API shows it. */
export const promptRow = {
  title: 'Prompt',
  ...rowOf({
    id: promptId,
    ...settings,
    variables: {
      type: 'array',
      items: { type: 'string' },
      description: 'The variables of the text, in the order in which they first appear',
      examples: [['team', 'date']],
    },
    owner: { type: 'string', description: 'Username', examples: ['ada'] },
    is_owner: { type: 'boolean', description: 'True if it belongs to the caller' },
    can_edit: { type: 'boolean', description: 'True if the caller may change it' },
    ...managedRow,
    created_at: time,
    updated_at: time,
  }),
} as const

/** A list of prompts. */
export const promptRows = { type: 'array', items: promptRow } as const
