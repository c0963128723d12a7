import type { CommonSettings } from '../config/common-settings.ts'
import type { Cradle } from '../manifest.ts'
import type { Addressed } from './conversations.ts'

/** Returns `one` for a direct conversation of a channel that uses the memory of the agent's owner, otherwise `many`. */
export async function findListeners(
  { channel_id, type }: Pick<Addressed, 'channel_id' | 'type'>,
  { collections: { channels } }: Pick<Cradle, 'collections'>,
): Promise<'one' | 'many'> {
  if (type !== 'direct') return 'many'
  const channel = await channels.findOne({ _id: channel_id }, { projection: { config: 1 } })
  const { memory = false }: CommonSettings = channel?.config ?? {}
  return memory ? 'one' : 'many'
}
