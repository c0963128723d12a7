import type { AgentActivity } from '../agents/types.ts'
import type { ChannelState } from './documents.ts'
import type { Cradle } from './manifest.ts'

/** The activity of an agent lists at most this many channels; `GET /agents/:id/channels` lists all. */
const MOST_SHOWN = 200

/** Lists the channels of an agent with their states. */
export async function showChannels(
  { agent_id }: { agent_id: string },
  { collections }: Pick<Cradle, 'collections'>,
): Promise<Pick<AgentActivity, 'channels'>> {
  const found = await collections.channels
    .find({ agent_id }, { projection: { kind: 1, name: 1, 'runtime.state': 1 } })
    .sort({ name: 1 })
    .limit(MOST_SHOWN)
    .toArray()
  return {
    channels: found.map(({ _id: id, kind, name, runtime }) => ({ id, kind, name, state: runtime.state })),
  }
}

/** Counts the connected and the failed channels of all agents. */
export async function countChannels(_: object, { collections }: Pick<Cradle, 'collections'>) {
  const groups = await collections.channels
    .aggregate<{ _id: ChannelState; count: number }>([
      { $match: { enabled: true } },
      { $group: { _id: '$runtime.state', count: { $sum: 1 } } },
    ])
    .toArray()
  const countOf = (state: ChannelState) => groups.find(({ _id }) => _id === state)?.count ?? 0
  return { channels: { connected: countOf('connected'), failed: countOf('failed') } }
}
