import { localizedText, nullable, objectOf, rowOf } from '#kernel'
import { newAgent } from '#plugin-api'

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const time = { type: 'integer', description: 'Unix seconds' } as const
const paths = { ...texts, description: 'Relative paths, sorted' } as const

const expertId = { type: 'string', description: 'Same as `id`' } as const

const expert = {
  id: text,
  expert_id: expertId,
  label: localizedText,
  description: localizedText,
  welcome_message: localizedText,
  icon: { type: 'string', description: 'The name of an icon of the Lucide set' },
  color: { type: 'string', description: 'As #rrggbb' },
  quick_prompts: {
    type: 'array',
    items: rowOf({ title: localizedText, description: localizedText, prompt: localizedText }),
  },
  task_examples: rowOf({ en: texts, zh: texts }),
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

/** POST /agents/from-expert/:expert_id; without a name the agent gets the expert's. */
export const agentFromExpert = objectOf(newAgent.properties)

/** POST /experts/published/:expert_id/install; without a name the agent gets the expert's. */
export const installation = agentFromExpert

/** Without `is_shared`, as the owner of a copy decides if it is shared. */
const { is_shared, ...settings } = newAgent.properties

/** POST /agents/:id/publish-expert; by default with the agent's name and a slug made from the name. */
export const publication = objectOf({
  ...settings,
  name: {
    type: 'string',
    maxLength: 256,
    pattern: '^\\s*[^\\s\\p{Cc}\\p{Cs}]([^\\p{Cc}\\p{Cs}]{0,62}[^\\s\\p{Cc}\\p{Cs}])?\\s*$',
    description: '1 to 64 characters, none of them a control character',
  },
  slug: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,63}$' },
  include_files: {
    type: 'array',
    maxItems: 200,
    items: { type: 'string', minLength: 1, maxLength: 1024 },
    description:
      'Files and folders that are published even if turns have written them; `.` is the whole workspace',
  },
})

const published = {
  id: text,
  expert_id: expertId,
  slug: { type: 'string', description: 'Unique, and not the id of a registered expert' },
  name: text,
  description: nullable(text),
  created_by: { type: 'string', description: 'Username' },
  source_agent_id: { ...nullable(text), description: 'Null once that agent is gone' },
  icon: nullable(text),
  color: nullable(text),
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

/** The reply of POST /agents/:id/publish-expert. */
export const newlyPublishedExpert = {
  title: 'NewlyPublishedExpert',
  ...rowOf({
    ...published,
    files: paths,
    left_out: {
      type: 'array',
      items: rowOf({
        path: text,
        reason: {
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
    },
  }),
} as const
