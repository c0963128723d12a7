import { isUnavailable, untilTick } from '#plugin-api'
import type { Lane } from '../conversations/inbox.ts'
import type { ChannelDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { type Failure, toFailure } from '../writing/index.ts'
import { createChannelCursor } from './channel-cursor.ts'
import { openSession, type Session } from './session.ts'

/** Interval between two reconciliations of open with wanted channels, with and without any, in milliseconds. */
const RECONCILE_MS = { some: 2000, none: 10_000 }
/** After a process has not renewed a lease for this long, another process may take the channel, in milliseconds. */
const LEASE_MS = 5000

/** The fields of a channel that decide if it must be opened again. */
type Wanted = Pick<ChannelDocument, '_id' | 'agent_id' | 'revision'>

const TAKEN: Failure = {
  reason: 'already_connected',
  detail: 'Another channel is connected with the same account.',
}

/** Keeps all enabled channels of running agents connected, each in the one server process that has its lease. */
export type Supervisor = ReturnType<typeof createSupervisor>

/** Creates the supervisor of this process. */
export function createSupervisor(cradle: Cradle) {
  const { collections, channelKinds, channelConfigs, intake, messageAnswering, platforms, agents } = cradle
  const { connectionLeases: leases, channelStates, signals, log } = cradle
  const { channels } = collections
  const sessions = new Map<string, { session: Session; lease: string; revision: number }>()
  /** Channels that are about to be opened. `close` removes a channel from here to cancel that. */
  const opening = new Set<string>()
  const closing = new Map<string, Promise<unknown>>()
  let timer: NodeJS.Timeout | undefined
  let reconciling: Promise<void> | undefined
  let isStopped = false
  let isAnyEnabled = false
  /** True if something has changed since the last scheduled reconciliation began. */
  let isDue = false

  const hold = (lease: string, channel_id: string) =>
    leases.take(lease, leases.holderOf(channel_id), LEASE_MS)

  const wakeHere = (lane: Lane): boolean => {
    const session = sessions.get(lane.channel_id)?.session
    if (session) messageAnswering.wake(session, lane)
    return session !== undefined
  }

  const wake = (channel_id: string, conversation_id: string, urgent: boolean) => {
    const lane = { channel_id, conversation_id, urgent }
    if (!wakeHere(lane)) signals.publish('channel.message', lane)
  }

  const open = async (ref: Wanted) => {
    const channel = await channels.findOne({ _id: ref._id, revision: ref.revision })
    if (!channel) return
    const kind = channelKinds.find(channel.kind)
    if (!kind) {
      const detail = `The channel kind “${channel.kind}” is disabled or not installed on this server.`
      return refuse(channel, { reason: 'unsupported', detail })
    }
    const config = channelConfigs.open(channel)
    const lease = leases.nameOf(channel._id, kind, config)
    if (!(await hold(lease, channel._id))) {
      if (await leases.isTaken(lease, channel._id)) await refuse(channel, TAKEN)
      return
    }
    if (!opening.has(channel._id)) {
      await leases.release(lease, leases.holderOf(channel._id))
      return
    }
    const { report, written } = channelStates.reporter(channel._id, lease)
    const settings = () => {
      kind.assertComplete(config)
      return { config, ...platforms.reach(kind) }
    }
    const inbox = intake.openInbox(
      channel,
      (conversation_id, urgent) => wake(channel._id, conversation_id, urgent),
      () => session.signal.aborted,
    )
    const session: Session = openSession({
      channel,
      kind,
      settings,
      inbox,
      cursor: createChannelCursor({ channel_id: channel._id, kind, config, inbox, cradle }),
      onState: report,
      onRefused: (failure) => noteRefusal(channel, failure),
      log: log.child({ channel: channel._id, kind: channel.kind }),
    })
    const close = async () => {
      await session.close()
      await written()
      await intake.removeStray(channel)
      await leases.release(lease, leases.holderOf(channel._id))
    }
    sessions.set(channel._id, { session: { ...session, close }, lease, revision: channel.revision })
  }

  const noteRefusal = (channel: ChannelDocument, failure: Failure) => {
    channelStates
      .noteRefusal(channel, failure)
      .catch((error) => log.warn({ error, channel: channel._id }, 'refusal of a channel could not be stored'))
  }

  const refuse = async (channel: ChannelDocument, failure: Failure) => {
    const { state, reason } = channel.runtime
    if (state !== 'failed' || reason !== failure.reason)
      await channelStates.set(channel._id, { state: 'failed', failure })
  }

  /** Opens a channel. A failure is stored as its state, so that the other channels are opened all the same. */
  const openSafely = async (ref: Wanted) => {
    opening.add(ref._id)
    try {
      await open(ref)
    } catch (error) {
      if (isUnavailable(error)) throw error
      log.error({ error, channel: ref._id }, 'channel cannot be opened')
      await channelStates.set(ref._id, { state: 'failed', failure: toFailure(error) })
    } finally {
      opening.delete(ref._id)
    }
  }

  const close = async (channel_id: string) => {
    opening.delete(channel_id)
    const openChannel = sessions.get(channel_id)
    if (!openChannel) {
      await closing.get(channel_id)
      return
    }
    sessions.delete(channel_id)
    const ended = Promise.all([openChannel.session.close(), messageAnswering.leave(channel_id)])
    closing.set(
      channel_id,
      ended.catch(() => 'thrown below'),
    )
    try {
      await ended
    } finally {
      closing.delete(channel_id)
    }
  }

  /** Closes a channel in the background, so that it does not delay the others. */
  const closeAside = (channel_id: string) => {
    close(channel_id).catch((error) =>
      log.error({ error, channel: channel_id }, 'channel could not be closed cleanly'),
    )
  }

  const renew = async () => {
    const ownLeases = [...sessions].map(([channel_id, { lease }]) => ({ name: lease, channel_id }))
    if ((await leases.renew(ownLeases, LEASE_MS)) === ownLeases.length) return
    for (const { name, channel_id } of ownLeases)
      if (!(await hold(name, channel_id))) {
        log.warn({ channel: channel_id }, 'another process has taken a channel')
        closeAside(channel_id)
      }
  }

  const listWanted = async (): Promise<Wanted[]> => {
    const enabled = await channels
      .find({ enabled: true }, { projection: { agent_id: 1, kind: 1, revision: 1, 'runtime.reason': 1 } })
      .toArray()
    // A channel without its kind is opened once, for its state to say so.
    const usable = enabled.filter(
      ({ kind, runtime: { reason } }) => channelKinds.find(kind) || reason !== 'unsupported',
    )
    isAnyEnabled = usable.length > 0
    const running = await agents.listRunning([...new Set(usable.map(({ agent_id }) => agent_id))])
    return usable.filter(({ agent_id }) => running.has(agent_id))
  }

  const reconcileOnce = async () => {
    await renew()
    const wantedChannels = new Map((await listWanted()).map((channel) => [channel._id, channel]))
    for (const [channel_id, { revision }] of [...sessions])
      if (wantedChannels.get(channel_id)?.revision !== revision) closeAside(channel_id)
    for (const channel of wantedChannels.values()) {
      if (isStopped) return
      // A channel that is still being closed is opened by the next reconciliation.
      if (!sessions.has(channel._id) && !closing.has(channel._id)) await openSafely(channel)
    }
    await messageAnswering.wakeAll([...sessions.values()].map(({ session }) => session))
  }

  /** Runs one reconciliation at a time: a call during one waits for it and then runs the next. */
  const reconcile = async () => {
    const previous = reconciling
    const next = (async () => {
      await previous?.catch(() => 'reported by its caller')
      if (isStopped) return
      await reconcileOnce()
    })()
    reconciling = next
    await next
  }

  const reconcileBySchedule = async () => {
    timer = undefined
    isDue = false
    try {
      await reconcile()
    } catch (error) {
      if (!isUnavailable(error)) log.error({ error }, 'channels could not be reconciled')
    }
    if (isStopped) return
    const wait = isAnyEnabled ? RECONCILE_MS.some : untilTick(RECONCILE_MS.none)
    timer = setTimeout(reconcileBySchedule, isDue ? 0 : wait)
  }

  return {
    async start() {
      await channelStates.forgetDead()
      void reconcileBySchedule()
    },
    /** Opens channels that should be connected here and closes the others; resolves when all of them are started. */
    reconcile,
    /** Reconciles soon, because a channel or an agent has changed, maybe in another process. */
    reconcileSoon() {
      isDue = true
      if (timer === undefined || isStopped) return
      clearTimeout(timer)
      void reconcileBySchedule()
    },
    /** Closes a changed channel, if this process has it, and opens it with its new config. */
    async reopen(channel_id: string) {
      await close(channel_id)
      await reconcile()
    },
    /** Closes a channel, if this process has it; resolves when it is closed. */
    close,
    async closeAllOf(agent_id: string) {
      const agentChannels = await channels.find({ agent_id }, { projection: { _id: 1 } }).toArray()
      await Promise.all(agentChannels.map(({ _id }) => close(_id)))
    },
    /** Has a stored message of a channel answered, in the process that has the channel. */
    wake,
    /** Starts answering the messages of a lane; false if this process does not have the channel. */
    wakeHere,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await reconciling?.catch(() => 'reported by its caller')
      await Promise.all([...sessions.keys()].map(close))
      await Promise.all(closing.values())
    },
  }
}
