import type { ChannelFailureReason } from '#plugin-api'
import type { ChannelDocument, ChannelRuntime, StateChange } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import type { Failure } from '../writing/index.ts'
import type { ConnectionState } from './session.ts'

/** The most changes of a channel that wait for webhooks to hear of them. */
const MAX_UNREPORTED = 50

/** Stores the states of the channels' connections. */
export type ChannelStates = ReturnType<typeof createChannelStates>

declare module '#kernel/types' {
  interface Events {
    /** A channel was created or deleted, or its settings changed. */
    'channel.changed': { channel_id: string; agent_id: string }
    /** The connection of a channel changed its state. */
    'channel.state_changed': { channel_id: string; agent_id: string; kind: string } & Pick<
      ChannelRuntime,
      'state' | 'reason'
    >
    /** The platform refused a message, a file or a change, which is not tried again. */
    'channel.refused': {
      channel_id: string
      agent_id: string
      kind: string
      reason: ChannelFailureReason
    }
  }
}

/** Creates the service that writes states into the channels. */
export function createChannelStates({
  collections: { channels },
  connectionLeases,
  clock,
  events,
  ids,
  log,
}: Pick<Cradle, 'collections' | 'connectionLeases' | 'clock' | 'events' | 'ids' | 'log'>) {
  /** Returns the part of an update that keeps a change of a state until webhooks have heard of it. */
  const toUnreported = (change: Pick<StateChange, 'state' | 'reason'>) => ({
    unreported: { $each: [{ id: ids.make(), at: clock.now(), ...change }], $slice: -MAX_UNREPORTED },
  })

  /** Stores the state of a channel and emits `channel.state_changed`. */
  const set = async (
    _id: string,
    { state, failure, is_back = false }: ConnectionState,
    lease?: string,
  ): Promise<void> => {
    const runtime: Omit<ChannelRuntime, 'reconnects' | 'last_refusal'> = {
      state,
      reason: failure?.reason ?? null,
      error: failure?.detail ?? null,
      since: clock.seconds(),
    }
    const fields = Object.entries(runtime).map(([name, value]) => [`runtime.${name}`, value])
    const { reason } = runtime
    const changes = {
      $set: { ...Object.fromEntries(fields), ...(lease && { lease }) },
      ...(is_back && { $inc: { 'runtime.reconnects': 1 } }),
    }
    const changed = await channels.findOneAndUpdate(
      { _id, 'runtime.state': { $ne: state } },
      { ...changes, $push: toUnreported({ state, reason }) },
      { projection: { agent_id: 1, kind: 1 } },
    )
    if (!changed) return void (await channels.updateOne({ _id }, changes))
    const { agent_id, kind } = changed
    void events.emit('channel.state_changed', { channel_id: _id, agent_id, kind, state, reason })
  }

  return {
    set,
    /** Stores the last refusal of a channel and emits `channel.refused`. */
    async noteRefusal(
      { _id: channel_id, agent_id, kind }: ChannelDocument,
      { reason, detail }: Failure,
    ): Promise<void> {
      const last_refusal = { reason, detail, at: clock.seconds() }
      await channels.updateOne({ _id: channel_id }, { $set: { 'runtime.last_refusal': last_refusal } })
      void events.emit('channel.refused', { channel_id, agent_id, kind, reason })
    },
    /** Returns a reporter for one connection: it writes states in order and skips a state that cannot be written. */
    reporter(channel_id: string, lease: string) {
      let writing = Promise.resolve()
      return {
        report(state: ConnectionState): void {
          writing = writing
            .then(() => set(channel_id, state, lease))
            .catch((error) =>
              log.warn({ error, channel: channel_id }, 'state of a channel could not be stored'),
            )
        },
        written: () => writing,
      }
    },
    /** Sets channels to `disconnected` whose process died without doing so. */
    async forgetDead(): Promise<void> {
      const lease = { $nin: await connectionLeases.listHeld() }
      await channels.updateMany(
        { 'runtime.state': { $in: ['connected', 'connecting'] }, lease },
        {
          $set: { 'runtime.state': 'disconnected', 'runtime.since': clock.seconds() },
          $push: toUnreported({ state: 'disconnected', reason: null }),
        },
      )
    },
  }
}
