import type { AgentActivity } from '../../agents/agents/types.ts'
import type { ChannelState } from './documents.ts'
import type { Cradle } from './manifest.ts'

/** The activity of an agent lists at most this many channels; `GET /agents/:id/channels` lists all. */
const MOST_SHOWN = 200

/** Lists the channels of an agent with their states. */
export async function showChannels(
  { agent_id }: { agent_id: string },
  { collections }: Pick<Cradle, 'collections'>,
): Promise<Pick<AgentActivity, 'channels'>> {
  const shownChannels = await collections.channels
    .find({ agent_id }, { projection: { kind: 1, name: 1, 'runtime.state': 1 } })
    .sort({ name: 1 })
    .limit(MOST_SHOWN)
    .toArray()
  return {
    channels: shownChannels.map(({ _id: id, kind, name, runtime }) => ({
      id,
      kind,
      name,
      state: runtime.state,
    })),
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

const STATES: readonly ChannelState[] = ['connected', 'connecting', 'disconnected', 'failed']

/** Counts channels by kind and state, and the messages that wait to be answered. */
export async function readChannelGauges(
  _: object,
  { collections, extensions }: Pick<Cradle, 'collections' | 'extensions'>,
) {
  const [groups, waiting] = await Promise.all([
    collections.channels
      .aggregate<{ _id: { kind: string; state: ChannelState }; count: number }>([
        { $match: { enabled: true } },
        { $group: { _id: { kind: '$kind', state: '$runtime.state' }, count: { $sum: 1 } } },
      ])
      .toArray(),
    collections.channel_inbox.countDocuments({ channel_id: { $gt: '' }, open: true }),
  ])
  const counts = extensions['channels.kinds'].names().flatMap((kind) =>
    STATES.map((state) => ({
      name: 'svc_channels',
      help: 'Enabled channels by kind and state',
      labels: { kind, state },
      value: groups.find(({ _id }) => _id.kind === kind && _id.state === state)?.count ?? 0,
    })),
  )
  return [
    ...counts,
    { name: 'svc_channel_messages_waiting', help: 'Messages of platforms without an answer', value: waiting },
  ]
}
