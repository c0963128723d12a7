import { type Command, JSON_OPTION, printJson, printTable } from '#plugin-api'
import type { Cradle } from './manifest.ts'

/** Formats Unix seconds as ISO 8601. */
const formatTime = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')

/** `svc admin overview`: prints what `GET /admin/overview` returns, whether or not a server runs. */
export const overviewCommand: Command<Cradle> = {
  name: 'admin overview',
  summary: 'Show accounts, agents, conversations and servers',
  options: [JSON_OPTION],
  async run({ options, stdout }, { overview }) {
    const now = await overview.read()
    if (options.json) {
      printJson(stdout, now)
      return 0
    }
    const { agents, channels, nodes, plugins, started_at } = now
    printTable(stdout, [
      ['version', formatRelease(now)],
      ['running since', started_at === null ? 'no server is running' : formatTime(started_at)],
      ['users', `${now.user_count}`],
      ['tokens used', `${now.tokens_used}`],
      ['agents', `${now.agent_count}${formatStates(agents)}`],
      ['threads', `${now.threads}`],
      ['active turns', `${now.turns_active}`],
      ['channels', `${channels.connected} connected, ${channels.failed} failed`],
      ['stored', formatBytes(now.bytes)],
      ['last backup', now.last_backup_at === null ? 'never' : formatTime(now.last_backup_at)],
    ])
    stdout.write('\n')
    if (nodes.length > 0) {
      printTable(stdout, [
        ['node', 'host', 'pid', 'version', 'started', 'seen'],
        ...nodes.map(({ id, host, pid, started_at, seen_at, ...node }) => [
          id,
          host,
          `${pid}`,
          formatRelease(node),
          formatTime(started_at),
          formatTime(seen_at),
        ]),
      ])
      stdout.write('\n')
    }
    printTable(stdout, [
      ['plugin', 'version', 'state'],
      ...plugins.map(({ name, version, state }) => [name, version, state]),
    ])
    return 0
  },
}

/** Formats a version with its commit: `0.1.0 (1afde9ab)`. */
const formatRelease = ({ version, commit }: { version: string; commit: string | null }) =>
  commit ? `${version} (${commit})` : version

/** Formats sizes by kind: `conversations 52.4 MB, usage 0.1 MB`. */
const formatBytes = (bytes: Record<string, number>) =>
  Object.entries(bytes)
    .map(([kind, size]) => `${kind} ${(size / 1e6).toFixed(1)} MB`)
    .join(', ')

/** Formats the non-zero counts of states: ` (2 running, 1 failed)`. */
function formatStates(agents: Record<string, number>): string {
  const parts = Object.entries(agents).filter(([, count]) => count > 0)
  return parts.length > 0 ? ` (${parts.map(([state, count]) => `${count} ${state}`).join(', ')})` : ''
}
