import { nullable, rowOf, type TypeOf } from '#plugin-api'
import { route } from './manifest.ts'

const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const
const time = { type: 'integer', description: 'Unix seconds' } as const

const version = { ...text, examples: ['0.1.0'] } as const
const commit = {
  ...nullable(text),
  description: 'The commit that was built; null if it is not known',
  examples: ['1afde9ab'],
} as const

const pluginRow = rowOf({
  name: { ...text, examples: ['chat'] },
  version,
  state: { title: 'PluginState', enum: ['running', 'failed', 'disabled'] },
})

const nodeRow = rowOf({
  id: text,
  host: { ...text, examples: ['server-1'] },
  pid: { type: 'integer', examples: [4711] },
  version,
  commit,
  started_at: time,
  seen_at: time,
})

const overviewRow = {
  title: 'Overview',
  ...rowOf({
    user_count: { ...count, examples: [12] },
    agent_count: { ...count, examples: [31] },
    agents: {
      ...rowOf({ running: count, stopped: count, starting: count, failed: count }),
      examples: [{ running: 28, stopped: 3, starting: 0, failed: 0 }],
    },
    threads: { ...count, description: 'Without threads that are being removed', examples: [420] },
    turns_active: { ...count, description: 'On any server', examples: [2] },
    channels: { ...rowOf({ connected: count, failed: count }), examples: [{ connected: 5, failed: 0 }] },
    bytes: {
      ...rowOf({ conversations: count, usage: count, audit: count, workspaces: count, documents: count }),
      description: 'Of what is stored, by kind: data of the database, and files',
      examples: [
        { conversations: 52_428_800, usage: 81_920, audit: 40_960, workspaces: 1_048_576, documents: 0 },
      ],
    },
    tokens_used: { ...count, description: 'Of all accounts, for all time', examples: [3_210_480] },
    last_backup_at: {
      ...nullable(time),
      description: 'The end of the last `svc backup`, in Unix seconds; null if there was none',
      examples: [1_767_225_600],
    },
    process: {
      ...rowOf({
        memory_bytes: { ...count, description: 'Resident memory', examples: [182_452_224] },
        failed_requests: {
          ...count,
          description: 'Requests answered with a status of 500 or more in the last 24 hours, since the start',
          examples: [0],
        },
      }),
      description: 'The process that answers',
    },
    started_at: time,
    version,
    commit,
    plugins: { type: 'array', items: pluginRow },
    nodes: { type: 'array', items: nodeRow, description: 'The processes of the server' },
  }),
} as const

/** The reply of the overview. */
export type OverviewRow = TypeOf<typeof overviewRow>

/** The counts of the overview, which other plugins contribute. */
export type OverviewCounts = Pick<OverviewRow, 'agents' | 'threads' | 'turns_active' | 'channels'> & {
  bytes: Partial<OverviewRow['bytes']>
}

declare module '#kernel/types' {
  interface ExtensionPoints {
    /** Counts for the overview; the counts of all plugins are added up. */
    'overview.counts': (question: object) => Promise<Partial<OverviewCounts>>
    /** Returns the time of the last backup in Unix seconds; null if there was none. */
    'overview.last_backup': (question: object) => Promise<number | null>
  }
}

const getOverview = route({
  method: 'GET',
  path: '/admin/overview',
  operation_id: 'getOverview',
  summary: 'Get an overview of the server',
  description:
    'Counts accounts, agents, threads, running turns, channels and tokens of the whole installation, and lists its plugins and the server processes that use the database.',
  guard: 'admin',
  response: { 200: overviewRow },
}).handle(async (_request, { overview, failedRequests, server: { started_at } }) => ({
  ...(await overview.read()),
  started_at,
  process: { memory_bytes: process.memoryUsage.rss(), failed_requests: failedRequests.count() },
}))

/** The routes of the overview. */
export const overviewRoutes = [getOverview]
