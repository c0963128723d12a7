import { knowledgeBaseIds, objectOf, rowOf } from '#plugin-api'

const projectId = { type: 'string', examples: ['prj_01KDVMF0000000000000000001'] } as const
const text = (maxLength: number) => ({ type: ['string', 'null'], maxLength }) as const

const settings = {
  name: { type: 'string', minLength: 1, maxLength: 100, pattern: '\\S', examples: ['Trip to Norway'] },
  description: { ...text(2000), description: 'For people', examples: ['Everything about the summer'] },
  instructions: {
    ...text(16_000),
    description: 'Added to the instructions of the agent, before those of the thread',
    examples: ['We travel by train, with two children. Prices are in euros.'],
  },
  knowledge_base_ids: {
    ...knowledgeBaseIds,
    description:
      'Searched besides those of the agent, the thread and the turn, as far as whoever talks may search them; you must be able to search those that you add',
  },
} as const

/** The path of a project. */
export const projectParams = rowOf({
  id: { ...projectId, description: 'A project of yours, or one that is shared with you' },
})

/** The settings of a new project. */
export const newProject = objectOf(settings, ['name'])

/** The changes of a project. */
export const projectChanges = { ...objectOf(settings), minProperties: 1 } as const

/** A project as the API shows it. */
export const projectRow = {
  title: 'Project',
  ...rowOf({
    id: projectId,
    ...settings,
    thread_count: {
      type: 'integer',
      minimum: 0,
      description: 'Your threads in it with all agents, without archived ones',
      examples: [12],
    },
    owner: { type: 'string', description: 'Username', examples: ['ada'] },
    is_owner: { type: 'boolean', description: 'True if it belongs to the caller' },
    can_edit: { type: 'boolean', description: 'True if the caller may change it' },
    created_at: { type: 'integer', description: 'Unix seconds', examples: [1_893_456_000] },
  }),
} as const

/** A list of projects. */
export const projectRows = { type: 'array', items: projectRow } as const
