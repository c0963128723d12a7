import type { Cradle } from './manifest.ts'
import type { OverviewCounts, OverviewRow } from './routes.ts'

/** The service at a glance. */
export type Overview = ReturnType<typeof createOverview>

/** Creates the reader of the overview. */
export function createOverview({
  extensions,
  nodes,
  server,
  users,
}: Pick<Cradle, 'extensions' | 'nodes' | 'server' | 'users'>) {
  return {
    /** Reads the current state; `started_at` is that of the oldest running server, null if no server runs. */
    async read(): Promise<Omit<OverviewRow, 'started_at' | 'process'> & { started_at: number | null }> {
      const [{ user_count, tokens_used }, servers, counted, [last_backup_at = null]] = await Promise.all([
        users.totals(),
        nodes.list(),
        extensions['overview.counts'].ask({}),
        extensions['overview.last_backup'].ask({}),
      ])
      const overview = counted.reduce<OverviewCounts>(add, NOTHING)
      const { agents, threads, turns_active, channels, bytes } =
        servers.length > 0 ? overview : withoutServer(overview)
      return {
        user_count,
        agent_count: agents.running + agents.stopped + agents.starting + agents.failed,
        agents,
        threads,
        turns_active,
        channels,
        bytes: { ...NOTHING.bytes, ...bytes },
        tokens_used,
        last_backup_at,
        started_at: servers[0]?.started_at ?? null,
        version: server.version,
        commit: server.commit,
        plugins: server.plugins().map(({ name, version, state }) => ({ name, version, state })),
        nodes: servers,
      }
    },
  }
}

const NOTHING: OverviewCounts & Pick<OverviewRow, 'bytes'> = {
  bytes: { conversations: 0, usage: 0, audit: 0, workspaces: 0, documents: 0 },
  agents: { running: 0, stopped: 0, starting: 0, failed: 0 },
  threads: 0,
  turns_active: 0,
  channels: { connected: 0, failed: 0 },
}

/** Adds every number of an answer to the sum; a missing number counts as 0. */
function add<Counts extends object>(sum: Counts, answer: Partial<Counts> | undefined): Counts {
  const added = (Object.keys(sum) as (keyof Counts)[]).map((name) => {
    const [total, more] = [sum[name], answer?.[name]]
    return [
      name,
      typeof total === 'number' ? total + Number(more ?? 0) : add(total as object, more as object),
    ]
  })
  return Object.fromEntries(added) as Counts
}

/** Returns the counts while no server runs: agents that would start with the next server count as stopped. */
const withoutServer = ({ agents, channels, ...counts }: OverviewCounts): OverviewCounts => ({
  ...counts,
  agents: {
    running: 0,
    starting: 0,
    stopped: agents.running + agents.starting + agents.stopped,
    failed: agents.failed,
  },
  turns_active: 0,
  channels: { connected: 0, failed: channels.failed },
})
