import {
  localizedText,
  managedRow,
  missingTools,
  newAgent,
  nullable,
  objectOf,
  quickPrompts,
  rowOf,
  taskExamples,
} from '#plugin-api'

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const time = { type: 'integer', description: 'Unix seconds' } as const
const paths = {
  ...texts,
  description: 'Relative paths, sorted',
  examples: [['AGENTS.md', 'skills/charts/SKILL.md']],
} as const

const registeredId = { type: 'string', examples: ['data-analyst'] } as const

/** The path of an expert. */
export const expertParams = rowOf({ expert_id: { ...registeredId, description: 'The `id` of an expert' } })

/** The path of a published expert. */
export const publishedParams = rowOf({
  expert_id: { type: 'string', description: 'The id or the slug of a published expert' },
})

const expert = {
  id: registeredId,
  expert_id: { ...registeredId, description: 'Same as `id`' },
  label: localizedText,
  description: {
    ...localizedText,
    examples: [{ en: 'Reads tables and explains what they show', zh: '读取表格并解释其中的内容' }],
  },
  welcome_message: {
    ...localizedText,
    examples: [{ en: 'Hello! Send me a table.', zh: '您好！请发给我一个表格。' }],
  },
  icon: { type: 'string', description: 'The name of an icon of the Lucide set', examples: ['chart-column'] },
  color: { type: 'string', description: 'As #rrggbb', examples: ['#4B7BEC'] },
  missing: missingTools,
  quick_prompts: quickPrompts,
  task_examples: taskExamples,
} as const

/** GET /experts. */
export const expertRows = {
  type: 'array',
  items: { title: 'Expert', ...rowOf(expert) },
} as const

/** GET /experts/:expert_id. */
export const expertDetail = {
  title: 'ExpertDetail',
  ...rowOf({ ...expert, files: paths }),
} as const

/** POST /experts/published/:id/install; without a name the agent gets the expert's. */
export const installation = objectOf(newAgent.properties)

/** Without `is_shared`, as the owner of a copy decides if it is shared. */
const { is_shared, ...settings } = newAgent.properties

const include_files = {
  type: 'array',
  maxItems: 200,
  items: { type: 'string', minLength: 1, maxLength: 1024 },
  description:
    'Files and folders that are published even if turns have written them; `.` is the whole workspace',
  examples: [['AGENTS.md', 'skills']],
} as const

const name = {
  type: 'string',
  maxLength: 256,
  pattern: '^\\s*[^\\s\\p{Cc}\\p{Cs}]([^\\p{Cc}\\p{Cs}]{0,62}[^\\s\\p{Cc}\\p{Cs}])?\\s*$',
  description: '1 to 64 characters, none of them a control character',
  examples: ['Sales analyst'],
} as const

/** POST /agents/:id/publish-expert; by default with the agent's name and a slug made from the name. */
export const publication = objectOf({
  ...settings,
  name: { ...name, description: `${name.description}; by default the agent's name` },
  slug: {
    type: 'string',
    pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
    description: 'By default made from the name',
    examples: ['sales-analyst'],
  },
  include_files,
})

/** PATCH /experts/published/:expert_id. */
export const publishedChanges = objectOf({ ...settings, name })

const published = {
  id: text,
  expert_id: { ...text, description: 'Same as `id`' },
  slug: {
    type: 'string',
    description: 'Unique, and not the id of a registered expert',
    examples: ['sales-analyst'],
  },
  name: { ...text, examples: ['Sales analyst'] },
  description: nullable({ ...text, examples: ['Explains the sales of the month'] }),
  created_by: { type: 'string', description: 'Username', examples: ['ada'] },
  is_owner: { type: 'boolean', description: 'True if the caller has published the expert' },
  can_edit: { type: 'boolean', description: 'True if the caller may change it' },
  source_agent_id: { ...nullable(text), description: 'Null once that agent is gone' },
  icon: nullable({ ...text, examples: ['chart-column'] }),
  color: nullable({ ...text, examples: ['#4B7BEC'] }),
  missing: missingTools,
  ...managedRow,
  created_at: time,
  updated_at: time,
} as const

/** GET /experts/published. */
export const publishedExpertRows = {
  type: 'array',
  items: { title: 'PublishedExpert', ...rowOf(published) },
} as const

/** GET /experts/published/:expert_id. */
export const publishedExpertDetail = {
  title: 'PublishedExpertDetail',
  ...rowOf({ ...published, files: paths }),
} as const

const leftOut = {
  type: 'array',
  items: rowOf({
    path: { ...text, examples: ['.env'] },
    reason: {
      title: 'LeftOutReason',
      description: '`not_found`: `include_files` names no publishable file',
      enum: [
        'secret',
        'credentials',
        'link',
        'too_large',
        'not_a_file',
        'unreadable',
        'not_found',
        'written_by_turn',
      ],
    },
  }),
  description:
    'The first 100 files that were not copied though somebody may need them; files written by turns come last',
} as const

/** POST /agents/:id/publish-expert/preview. */
export const publicationPreview = {
  title: 'PublicationPreview',
  ...rowOf({ files: paths, left_out: leftOut }),
} as const

/** The body of POST /agents/:id/publish-expert/preview. */
export const previewedFiles = objectOf({ include_files })

/** The reply of POST /agents/:id/publish-expert. */
export const newlyPublishedExpert = {
  title: 'NewlyPublishedExpert',
  ...rowOf({
    ...published,
    files: paths,
    left_out: leftOut,
  }),
} as const
