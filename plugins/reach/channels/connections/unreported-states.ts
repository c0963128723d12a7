import type { IndexDescription } from 'mongodb'
import type { UnreportedRecord } from '#plugin-api'
import type { ChannelDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'

/** The index that channels with such changes are found with. */
export const unreportedIndex: IndexDescription = {
  key: { 'unreported.at': 1 },
  partialFilterExpression: { 'unreported.at': { $gt: 0 } },
}

/** Returns the changes of states that webhooks have not heard of; each is stored together with the state. */
export async function listUnreportedStates(
  { limit }: { limit: number },
  { collections: { channels }, agents }: Pick<Cradle, 'collections' | 'agents'>,
): Promise<UnreportedRecord[]> {
  const toRecord = async ({ _id: channel_id, agent_id, kind, name, unreported = [] }: ChannelDocument) => {
    const agent = await agents.find(agent_id)
    const toFact = ({ id, at, state, reason }: (typeof unreported)[number]) => ({
      id,
      event: 'channel.state_changed' as const,
      user_id: agent?.owner_id ?? null,
      agent_id,
      at,
      data: { channel_id, agent_id, kind, name, state, reason },
    })
    const reported_ids = unreported.map(({ id }) => id)
    return {
      facts: agent ? unreported.map(toFact) : [],
      settle: () =>
        channels.bulkWrite([
          {
            updateOne: {
              filter: { _id: channel_id },
              update: { $pull: { unreported: { id: { $in: reported_ids } } } },
            },
          },
          {
            updateOne: {
              filter: { _id: channel_id, unreported: { $size: 0 } },
              update: { $unset: { unreported: 1 } },
            },
          },
        ]),
    }
  }
  const marked = await channels
    .find({ 'unreported.at': { $gt: 0 } })
    .limit(limit)
    .toArray()
  return Promise.all(marked.map(toRecord))
}
