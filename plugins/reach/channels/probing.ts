import { ChannelFailure, type ChannelFailureReason, untilAborted, withDeadline } from '#plugin-api'
import type { KnownKind } from './config/kinds.ts'
import type { ChannelDocument } from './documents.ts'
import type { Cradle } from './manifest.ts'
import { toFailure } from './writing/index.ts'

/** Time limit of a test, in milliseconds. */
const PROBE_MS = 15_000
/** Longer than a test, so that no channel connects during it. */
const LEASE_MS = 20_000

/** The result of a test. */
export type ChannelProbeResult = { ok: true } | { ok: false; reason: ChannelFailureReason; detail: string }

/** Tests credentials without disturbing connected channels. */
export type ChannelProbe = ReturnType<typeof createChannelProbe>

/** Creates the service that tests credentials. */
export function createChannelProbe(cradle: Cradle) {
  const { collections, channelKinds, channelConfigs, connectionLeases, platforms, ids } = cradle
  const { channels } = collections

  /** Runs `work` while no channel has or gets the connection, for a probe that would take the connection over. */
  const whileFree = async (name: string, work: () => Promise<void>): Promise<void> => {
    const holder = ids.make('probe_')
    if (!(await connectionLeases.take(name, holder, LEASE_MS)))
      throw new ChannelFailure('already_connected', 'A channel is connected with this account.')
    try {
      await work()
    } finally {
      await connectionLeases.release(name, holder)
    }
  }

  const run = async (
    kind: KnownKind,
    config: Record<string, unknown>,
    id: string,
  ): Promise<ChannelProbeResult> => {
    try {
      kind.assertComplete(config)
      const settings = { config, ...platforms.reach(kind) }
      const probing = () =>
        withDeadline(PROBE_MS, [], (signal) => untilAborted(signal, kind.probe(settings, signal)))
      if (kind.probe_takes_over) await whileFree(connectionLeases.nameOf(id, kind, config), probing)
      else await probing()
      return { ok: true }
    } catch (error) {
      const { reason, detail } = toFailure(error)
      return { ok: false, reason, detail }
    }
  }

  return {
    /** Tests a stored channel. */
    async test(channel: ChannelDocument): Promise<ChannelProbeResult> {
      const kind = channelKinds.get(channel.kind)
      const config = channelConfigs.open(channel)
      const name = connectionLeases.nameOf(channel._id, kind, config)
      // The state of the live connection is the best answer, and a probe would break that connection.
      if (kind.probe_takes_over && (await connectionLeases.isHeldFor(name, channel._id))) {
        const { runtime } = (await channels.findOne({ _id: channel._id })) ?? channel
        if (runtime.state === 'connected') return { ok: true }
        return {
          ok: false,
          reason: runtime.reason ?? 'unknown',
          detail: runtime.error ?? 'The channel is connecting.',
        }
      }
      return run(kind, config, channel._id)
    },
    /** Tests a config that may not be stored. */
    async probe(name: string, config: Record<string, unknown>): Promise<ChannelProbeResult> {
      return run(channelKinds.get(name), config, ids.make('probe_'))
    },
  }
}
