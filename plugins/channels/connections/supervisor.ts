import { isUnavailable } from '#kernel'
import type { ChannelDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { type Failure, failureOf } from '../writing/failure.ts'
import { openSession, type Session } from './session.ts'

/** How often it is looked whether what is connected is what should be, in milliseconds. */
const ATTEND_MS = 1000
/** How long the process that has a channel may be silent before another one takes it, in milliseconds. */
const LEASE_MS = 5000

/** Keeps the channels connected that are to be: each on one server process, whichever has its lease. */
export interface Supervisor {
  start(): Promise<void>
  /** Looks at once; resolves when all channels that this process is to have are being opened, and no others. */
  attend(): Promise<void>
  /** Closes a channel that was changed, if this process has it, and opens it as it is now. */
  reopen(channel_id: string): Promise<void>
  /** Closes a channel, if this process has it; resolves when nothing of it is left. */
  close(channel_id: string): Promise<void>
  closeAllOf(agent_id: string): Promise<void>
  /** Has a message be answered that came in for a channel, if this process has it. */
  wake(channel_id: string, conversation_id: string, urgent: boolean): void
  stop(): Promise<void>
}

/** The part of a channel by which it is seen whether it must be opened anew. */
type Wanted = Pick<ChannelDocument, '_id' | 'agent_id' | 'revision'>

const TAKEN: Failure = {
  reason: 'already_connected',
  detail: 'Another channel is connected with the same account.',
}

/** Makes the supervisor of this process. */
export function createSupervisor(cradle: Cradle): Supervisor {
  const { collections, channelKinds, channelConfigs, intake, messageAnswering, platforms, agents } = cradle
  const { connectionLeases: leases, channelStates, log } = cradle
  const { channels } = collections
  const sessions = new Map<string, { session: Session; lease: string; revision: number }>()
  /** Those that are being looked up to be opened; whoever closes one takes it out. */
  const opening = new Set<string>()
  const closing = new Map<string, Promise<unknown>>()
  let timer: NodeJS.Timeout | undefined
  let attending: Promise<void> | undefined
  let isStopped = false

  const hold = (lease: string, channel_id: string) =>
    leases.take(lease, leases.holderOf(channel_id), LEASE_MS)

  const wake: Supervisor['wake'] = (channel_id, conversation_id, urgent) => {
    const session = sessions.get(channel_id)?.session
    if (session) messageAnswering.wake(session, { channel_id, conversation_id, urgent })
  }

  const open = async (wanted: Wanted) => {
    const channel = await channels.findOne({ _id: wanted._id, revision: wanted.revision })
    if (!channel) return
    const kind = channelKinds.find(channel.kind)
    if (!kind) {
      const detail = `There is no channel kind “${channel.kind}”.`
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
    const session: Session = openSession({
      channel,
      kind,
      settings,
      inbox: intake.of(channel, (conversation_id, urgent) => wake(channel._id, conversation_id, urgent)),
      onState: report,
      log: log.child({ channel: channel._id, kind: channel.kind }),
    })
    const close = async () => {
      await session.close()
      await written()
      await leases.release(lease, leases.holderOf(channel._id))
    }
    sessions.set(channel._id, { session: { ...session, close }, lease, revision: channel.revision })
  }

  const refuse = async (channel: ChannelDocument, failure: Failure) => {
    const { state, reason } = channel.runtime
    if (state !== 'failed' || reason !== failure.reason)
      await channelStates.set(channel._id, { state: 'failed', failure })
  }

  /** One channel that cannot be opened keeps no other from it. */
  const openSafely = async (wanted: Wanted) => {
    opening.add(wanted._id)
    try {
      await open(wanted)
    } catch (error) {
      if (isUnavailable(error)) throw error
      log.error({ error, channel: wanted._id }, 'channel cannot be opened')
      await channelStates.set(wanted._id, { state: 'failed', failure: failureOf(error) })
    } finally {
      opening.delete(wanted._id)
    }
  }

  const close: Supervisor['close'] = async (channel_id) => {
    opening.delete(channel_id)
    const held = sessions.get(channel_id)
    if (!held) {
      await closing.get(channel_id)
      return
    }
    sessions.delete(channel_id)
    const ended = Promise.all([held.session.close(), messageAnswering.leave(channel_id)])
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

  /** Closes a channel without anybody waiting for it: others must not be late because of it. */
  const closeAside = (channel_id: string) => {
    close(channel_id).catch((error) =>
      log.error({ error, channel: channel_id }, 'channel not closed in order'),
    )
  }

  const renew = async () => {
    const held = [...sessions].map(([channel_id, { lease }]) => ({ name: lease, channel_id }))
    if ((await leases.renew(held, LEASE_MS)) === held.length) return
    for (const { name, channel_id } of held)
      if (!(await hold(name, channel_id))) {
        log.warn({ channel: channel_id }, 'another process has taken a channel')
        closeAside(channel_id)
      }
  }

  const listWanted = async (): Promise<Wanted[]> => {
    const enabled = await channels
      .find({ enabled: true }, { projection: { agent_id: 1, revision: 1 } })
      .toArray()
    const running = await agents.listRunning([...new Set(enabled.map(({ agent_id }) => agent_id))])
    return enabled.filter(({ agent_id }) => running.has(agent_id))
  }

  const look = async () => {
    await renew()
    const wanted = new Map((await listWanted()).map((channel) => [channel._id, channel]))
    for (const [channel_id, { revision }] of [...sessions])
      if (wanted.get(channel_id)?.revision !== revision) closeAside(channel_id)
    for (const channel of wanted.values()) {
      if (isStopped) return
      // One that is still being closed is opened the next time.
      if (!sessions.has(channel._id) && !closing.has(channel._id)) await openSafely(channel)
    }
    await messageAnswering.attend([...sessions.values()].map(({ session }) => session))
  }

  /** One look at a time; who asks while there is one gets the next. */
  const attend: Supervisor['attend'] = async () => {
    const before = attending
    const next = (async () => {
      await before?.catch(() => 'reported by who began it')
      if (isStopped) return
      await look()
    })()
    attending = next
    await next
  }

  const attendBySchedule = async () => {
    try {
      await attend()
    } catch (error) {
      if (!isUnavailable(error)) log.error({ error }, 'channels could not be attended to')
    }
    if (!isStopped) timer = setTimeout(attendBySchedule, ATTEND_MS)
  }

  return {
    async start() {
      await channelStates.forgetDead()
      void attendBySchedule()
    },
    attend,
    async reopen(channel_id) {
      await close(channel_id)
      await attend()
    },
    close,
    async closeAllOf(agent_id) {
      const found = await channels.find({ agent_id }, { projection: { _id: 1 } }).toArray()
      await Promise.all(found.map(({ _id }) => close(_id)))
    },
    wake,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await attending?.catch(() => 'reported by who began it')
      await Promise.all([...sessions.keys()].map(close))
      await Promise.all(closing.values())
    },
  }
}
