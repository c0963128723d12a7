import type { Events } from '#kernel'
import type { ChannelState } from './documents.ts'
import type { Cradle } from './manifest.ts'

/** The list of channels has them all. */
const MOST_SHOWN = 200

/** Says of an agent how its channels stand. */
export async function showChannels(
  { agent_id, activity }: Events['agent.status_read'],
  { collections }: Pick<Cradle, 'collections'>,
): Promise<void> {
  const found = await collections.channels
    .find({ agent_id }, { projection: { kind: 1, name: 1, 'runtime.state': 1 } })
    .sort({ name: 1 })
    .limit(MOST_SHOWN)
    .toArray()
  activity.channels.push(
    ...found.map(({ _id: id, kind, name, runtime }) => ({ id, kind, name, state: runtime.state })),
  )
}

/** Counts the channels of all agents that are connected, and those that have failed. */
export async function countChannels(
  { overview }: Events['overview.read'],
  { collections }: Pick<Cradle, 'collections'>,
): Promise<void> {
  const groups = await collections.channels
    .aggregate<{ _id: ChannelState; count: number }>([
      { $match: { enabled: true } },
      { $group: { _id: '$runtime.state', count: { $sum: 1 } } },
    ])
    .toArray()
  const countOf = (state: ChannelState) => groups.find(({ _id }) => _id === state)?.count ?? 0
  overview.channels = { connected: countOf('connected'), failed: countOf('failed') }
}
