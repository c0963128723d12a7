import { rowOf, type TypeOf } from '#kernel'

const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const
const time = { type: 'integer' } as const

const pluginRow = rowOf({ name: text, version: text, state: { enum: ['running', 'failed', 'disabled'] } })

const nodeRow = rowOf({
  id: text,
  host: text,
  pid: { type: 'integer' },
  version: text,
  started_at: time,
  seen_at: time,
})

export const overviewRow = {
  title: 'Overview',
  ...rowOf({
    user_count: count,
    agent_count: count,
    agents: rowOf({ running: count, stopped: count, starting: count, failed: count }),
    threads: { ...count, description: 'Without threads that are being removed' },
    turns_active: { ...count, description: 'On any server' },
    channels: rowOf({ connected: count, failed: count }),
    tokens_used: count,
    started_at: time,
    version: text,
    plugins: { type: 'array', items: pluginRow },
    nodes: { type: 'array', items: nodeRow },
  }),
} as const

export type OverviewRow = TypeOf<typeof overviewRow>
