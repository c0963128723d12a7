import { randomBytes } from 'node:crypto'
import type { IndexDescription } from 'mongodb'
import {
  AppError,
  type ChannelKind,
  type JSONValue,
  type Locale,
  type PlatformAccess,
  type PolledRegistration,
  untilAborted,
  withDeadline,
} from '#plugin-api'
import type { AgentDocument } from '../../../agents/agents/types.ts'
import type { Cradle } from '../manifest.ts'
import { toFailure } from '../writing/index.ts'

/** A QR code shown to a person; `_id` is the token with which clients poll. Times are in Unix milliseconds. */
export interface RegistrationDocument {
  _id: string
  kind: string
  agent_id: string
  user_id: string
  /** The kind's polling state, then the received config: JSON, sealed for the purpose `registration:<_id>`. */
  state: string
  status: 'waiting' | 'success' | 'expired' | 'failed'
  detail?: string
  /** The id of the channel to create; `is_stored` is set once it exists. */
  channel_id?: string
  is_stored?: boolean
  interval_ms: number
  /** The platform is not asked before this time. */
  next_poll_at: number
  expires_at: Date
}

/** The indexes of registrations; the last one removes them an hour after they have expired. */
export const registrationIndexes: IndexDescription[] = [
  { key: { agent_id: 1, user_id: 1, kind: 1 } },
  { key: { expires_at: 1 }, expireAfterSeconds: 3600 },
]

/** The result of a scan: credentials for the client, or a stored channel. */
type Gives = NonNullable<ChannelKind['registration']>['gives']

/** The answer to a poll. */
export interface RegistrationStatus {
  gives: Gives
  status: RegistrationDocument['status']
  channel_id?: string
  config?: Record<string, JSONValue>
}

/** Time limit of one call to the platform, in milliseconds. */
const CALL_MS = 15_000
/** The longest validity of a QR code, even if the platform allows more, in seconds. */
const MAX_VALID_SECONDS = 7200

/** The settings of channels made by a scan: live progress without reasoning and tool names. */
const LIVE_PROGRESS = { response_mode: 'stream', show_thinking: false, show_tool_hints: false }

/** Sets up channels by scanning a QR code. */
export type Registrations = ReturnType<typeof createRegistrations>

/** Creates the registrations over their collection. */
export function createRegistrations(cradle: Cradle) {
  const { collections, channelKinds, channels, platforms, secrets, clock, ids, log } = cradle
  const { channel_registrations: registrations } = collections

  const purposeOf = (token: string) => `registration:${token}`
  const seal = (token: string, value: JSONValue) => secrets.seal(JSON.stringify(value), purposeOf(token))
  const unseal = ({ _id, state }: RegistrationDocument): JSONValue =>
    JSON.parse(secrets.open(state, purposeOf(_id)))

  const registrationOf = (name: string) => {
    const kind = channelKinds.get(name)
    if (!kind.registration) throw new AppError('CHANNEL_QR_UNSUPPORTED', { kind: name })
    const { begin, poll } = kind.registration
    const call = <Result>(work: (platform: PlatformAccess) => Promise<Result>) =>
      withDeadline(CALL_MS, [], (signal) => untilAborted(signal, work({ ...platforms.reach(kind), signal })))
    return {
      kind,
      gives: kind.registration.gives,
      begin: () => call(begin),
      poll: (state: JSONValue) => call((platform) => poll(state, platform)),
    }
  }

  /** Polls the platform and stores the result. */
  const ask = async (registration: RegistrationDocument, agent: AgentDocument, locale: Locale) => {
    const { kind, gives, poll } = registrationOf(registration.kind)
    let polled: PolledRegistration
    try {
      polled = await poll(unseal(registration))
    } catch (error) {
      const { reason, detail } = toFailure(error)
      log.info({ reason, detail, kind: registration.kind }, 'a registration could not be polled')
      const next_poll_at = clock.now() + registration.interval_ms
      await registrations.updateOne({ _id: registration._id }, { $set: { next_poll_at } })
      return registration
    }
    const changes: Partial<RegistrationDocument> = { status: polled.status }
    if (polled.status === 'waiting') {
      if (polled.state !== undefined) changes.state = seal(registration._id, polled.state)
      if (polled.interval_seconds !== undefined) changes.interval_ms = polled.interval_seconds * 1000
      const interval_ms = changes.interval_ms ?? registration.interval_ms
      changes.next_poll_at = clock.now() + interval_ms
    }
    if (polled.status === 'failed') changes.detail = polled.detail
    if (polled.status === 'success') {
      changes.state = seal(registration._id, polled.config)
      if (gives === 'channel') changes.channel_id = ids.make('chn_')
    }
    await registrations.updateOne({ _id: registration._id, status: 'waiting' }, { $set: changes })
    const stored = { ...registration, ...changes }
    await storeChannel(stored, agent, kind.label[locale])
    return stored
  }

  /** Creates the channel of a registration once, also after a process died before it did. */
  const storeChannel = async (registration: RegistrationDocument, agent: AgentDocument, label: string) => {
    const { _id, kind, channel_id, is_stored } = registration
    if (channel_id === undefined || is_stored) return
    const config = { ...(unseal(registration) as Record<string, JSONValue>), ...LIVE_PROGRESS }
    for (let number = 1; ; number += 1)
      try {
        const name = number === 1 ? label : `${label} ${number}`
        await channels.create(agent, { kind, name, config }, channel_id)
        await registrations.updateOne({ _id }, { $set: { is_stored: true } })
        return
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'CHANNEL_NAME_TAKEN')) throw error
      }
  }

  return {
    /**
     * Replaces an earlier registration of this agent, user and kind. Throws CHANNEL_KIND_UNSUPPORTED,
     * CHANNEL_QR_UNSUPPORTED or CHANNEL_QR_FAILED.
     */
    async begin(
      { _id: agent_id }: AgentDocument,
      user_id: string,
      name: string,
    ): Promise<{ token: string; qrcode_url: string; gives: Gives }> {
      const { gives, begin } = registrationOf(name)
      const begun = await begin().catch((error) => {
        const { reason, detail } = toFailure(error)
        throw new AppError('CHANNEL_QR_FAILED', { reason, detail }, { cause: error })
      })
      const token = randomBytes(24).toString('base64url')
      const seconds = Math.min(begun.expires_in_seconds, MAX_VALID_SECONDS)
      await registrations.deleteMany({ agent_id, user_id, kind: name })
      await registrations.insertOne({
        _id: token,
        kind: name,
        agent_id,
        user_id,
        state: seal(token, begun.state),
        status: 'waiting',
        interval_ms: begun.interval_seconds * 1000,
        next_poll_at: 0,
        expires_at: new Date(clock.now() + seconds * 1000),
      })
      return { token, qrcode_url: begun.qrcode_url, gives }
    },

    /** Returns the status of a registration; an unknown token counts as expired. */
    async poll(
      agent: AgentDocument,
      user_id: string,
      name: string,
      token: string,
      locale: Locale,
    ): Promise<RegistrationStatus> {
      const { kind, gives } = registrationOf(name)
      const mine = { _id: token, agent_id: agent._id, user_id, kind: name }
      let registration = await registrations.findOne(mine)
      if (!registration) return { gives, status: 'expired' }
      const now = clock.now()
      if (registration.status === 'waiting' && registration.expires_at.getTime() <= now)
        return { gives, status: 'expired' }
      if (registration.status === 'waiting') {
        // One caller polls the platform; the others do not before the interval is over.
        const dueRegistration = await registrations.findOneAndUpdate(
          { ...mine, status: 'waiting', next_poll_at: { $lte: now } },
          { $set: { next_poll_at: now + CALL_MS + registration.interval_ms } },
        )
        registration = dueRegistration ? await ask(dueRegistration, agent, locale) : registration
      } else await storeChannel(registration, agent, kind.label[locale])
      const { status, channel_id } = registration
      const isHandedOut = status === 'success' && gives === 'credentials'
      return {
        gives,
        status,
        ...(channel_id && { channel_id }),
        ...(isHandedOut && { config: unseal(registration) as Record<string, JSONValue> }),
      }
    },

    async removeAllOf(user_id: string) {
      await registrations.deleteMany({ user_id })
    },
  }
}
