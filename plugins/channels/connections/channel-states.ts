import type { ChannelRuntime } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import type { ConnectionState } from './session.ts'

/** What is said of the connections of channels, for everybody to read. */
export interface ChannelStates {
  /** Says how a channel stands. */
  set(channel_id: string, state: ConnectionState, lease?: string): Promise<void>
  /** The same for one connection: states are written in the order in which they come, and one that cannot be is passed over. */
  reporter(
    channel_id: string,
    lease: string,
  ): { report(state: ConnectionState): void; written(): Promise<void> }
  /** Takes back what processes that died have said. */
  forgetDead(): Promise<void>
}

/** Makes what writes states into the channels. */
export function createChannelStates({
  collections: { channels },
  connectionLeases,
  clock,
  log,
}: Pick<Cradle, 'collections' | 'connectionLeases' | 'clock' | 'log'>): ChannelStates {
  const set: ChannelStates['set'] = async (_id, { state, failure, is_back = false }, lease) => {
    const runtime: Omit<ChannelRuntime, 'reconnects'> = {
      state,
      reason: failure?.reason ?? null,
      error: failure?.detail ?? null,
      since: clock.seconds(),
    }
    const fields = Object.entries(runtime).map(([name, value]) => [`runtime.${name}`, value])
    await channels.updateOne(
      { _id },
      {
        $set: { ...Object.fromEntries(fields), ...(lease && { lease }) },
        ...(is_back && { $inc: { 'runtime.reconnects': 1 } }),
      },
    )
  }

  return {
    set,
    reporter(channel_id, lease) {
      let writing = Promise.resolve()
      return {
        report(state) {
          writing = writing
            .then(() => set(channel_id, state, lease))
            .catch((error) => log.warn({ error, channel: channel_id }, 'state of a channel not written'))
        },
        written: () => writing,
      }
    },
    async forgetDead() {
      const lease = { $nin: await connectionLeases.listHeld() }
      await channels.updateMany(
        { 'runtime.state': { $in: ['connected', 'connecting'] }, lease },
        { $set: { 'runtime.state': 'disconnected', 'runtime.since': clock.seconds() } },
      )
    },
  }
}
