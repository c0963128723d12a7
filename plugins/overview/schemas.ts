import { objectOf, type TypeOf } from '#kernel'

const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const
const time = { type: 'integer' } as const

const pluginRow = objectOf(
  { name: text, version: text, state: { enum: ['running', 'failed', 'disabled'] } },
  ['name', 'version', 'state'],
)

const nodeRow = objectOf(
  { id: text, host: text, pid: { type: 'integer' }, version: text, started_at: time, seen_at: time },
  ['id', 'host', 'pid', 'version', 'started_at', 'seen_at'],
)

export const overviewRow = {
  title: 'Overview',
  ...objectOf(
    {
      user_count: count,
      agent_count: count,
      agents: objectOf({ running: count, stopped: count, starting: count, failed: count }, [
        'running',
        'stopped',
        'starting',
        'failed',
      ]),
      threads: { ...count, description: 'Without threads that are being removed' },
      turns_active: { ...count, description: 'On any server' },
      channels: objectOf({ connected: count, failed: count }, ['connected', 'failed']),
      tokens_used: count,
      started_at: time,
      version: text,
      plugins: { type: 'array', items: pluginRow },
      nodes: { type: 'array', items: nodeRow },
    },
    [
      'user_count',
      'agent_count',
      'agents',
      'threads',
      'turns_active',
      'channels',
      'tokens_used',
      'started_at',
      'version',
      'plugins',
      'nodes',
    ],
  ),
} as const

export type OverviewRow = TypeOf<typeof overviewRow>
