import {
  AppError,
  type Conditional,
  findPage,
  type Issue,
  isDuplicateKey,
  mergePatch,
  type Page,
  type PageRequest,
  requireUnchanged,
  type StoredConfig,
  showManaged,
} from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import { assertAddresses, leadsToSamePlaces } from './config/addresses.ts'
import type { KnownKind } from './config/kinds.ts'
import type { ChannelDocument, ChannelRuntime } from './documents.ts'
import type { Cradle } from './manifest.ts'

/** A channel as clients see it; secrets in `config` are masked. */
export interface ChannelRow {
  id: string
  agent_id: string
  kind: string
  name: string
  enabled: boolean
  config: Record<string, unknown>
  runtime: ChannelRuntime
  managed_by: 'apply' | null
  managed_file: string | null
  created_at: number
  updated_at: number
}

/** The fields of a new channel. */
export interface NewChannel {
  kind: string
  name: string
  config?: Record<string, unknown>
  enabled?: boolean
}

declare module '#kernel/types' {
  interface Events {
    /** A channel and all its data were removed. */
    'channel.deleted': { channel_id: string; agent_id: string }
  }
}

/** The fields that the entity tag of a channel is made from. */
export const channelFields = ['name', 'enabled', 'config', 'secret_config'] as const

const INITIAL: Omit<ChannelRuntime, 'since'> = {
  state: 'disconnected',
  reason: null,
  error: null,
  reconnects: 0,
  last_refusal: null,
}

const bytesOf = ({ config }: ChannelDocument) => Buffer.byteLength(JSON.stringify(config))

/** The channels of agents. */
export type Channels = ReturnType<typeof createChannels>

/** Creates the service over the collection of channels. */
export function createChannels(cradle: Cradle) {
  const { collections, channelKinds, channelConfigs, platforms, supervisor } = cradle
  const { messageInbox, conversations, clock, events, ids } = cradle
  const { channels, channel_approvals, channel_registrations } = collections

  const noteChange = (agent_id: string, channel_id: string) =>
    void events.emit('channel.changed', { agent_id, channel_id })

  const save = async <Saved>(name: string, saving: Promise<Saved>): Promise<Saved> => {
    try {
      return await saving
    } catch (error) {
      if (isDuplicateKey(error)) throw new AppError('CHANNEL_NAME_TAKEN', { name })
      throw error
    }
  }

  const get = async ({ _id: agent_id }: AgentDocument, _id: string): Promise<ChannelDocument> => {
    const channel = await channels.findOne({ _id, agent_id })
    if (!channel) throw new AppError('NOT_FOUND')
    return channel
  }

  const resolveConfig = (
    name: string,
    config: Record<string, unknown>,
    stored?: ChannelDocument,
  ): Record<string, unknown> => {
    const kind = channelKinds.get(name)
    const resolved = channelConfigs.unmask(config, kind, stored)
    kind.assertFitting(resolved)
    if (stored && !leadsToSamePlaces(resolved, channelConfigs.open(stored), kind))
      channelConfigs.assertAllSent(config, resolved, kind)
    return resolved
  }

  /** Returns the merged config of a channel. Throws VALIDATION_FAILED if it is invalid for a channel in this state. */
  const applyConfig = (
    kind: KnownKind,
    sent: Record<string, unknown>,
    { enabled, stored }: { enabled: boolean; stored?: ChannelDocument },
  ) => {
    const old = stored ? channelConfigs.open(stored) : {}
    const isKnown = (name: string) => Object.hasOwn(kind.properties, name)
    // Checked before the merge, which would drop an unknown field whose value is null.
    const unknown = Object.keys(sent).filter((name) => !isKnown(name))
    refuse(
      unknown.map((name) => issueOf(name, 'additionalProperties', 'must NOT have additional properties')),
    )
    const config = mergePatch(old, channelConfigs.unmask(sent, kind, stored))
    kind.assertFitting(config)
    if (stored && !leadsToSamePlaces(config, old, kind)) channelConfigs.assertAllSent(sent, config, kind)
    // A disabled channel is a draft: it may keep lacking the fields that it already lacks.
    const tolerated = enabled ? [] : kind.missingIn(stored ? old : config)
    const missing = kind.missingIn(config).filter((name) => !tolerated.includes(name))
    // A message from the kind's own check belongs to no single field.
    refuse(
      missing.map((name) =>
        isKnown(name) ? issueOf(name, 'required', 'is required') : issueOf('', 'required', name),
      ),
    )
    return config
  }

  /** Checks a config, and that the server may connect to the addresses in it, and returns it as it is stored. */
  const seal = async (
    id: string,
    kind: KnownKind,
    sent: Record<string, unknown>,
    state: { enabled: boolean; stored?: ChannelDocument },
  ): Promise<StoredConfig> => {
    const config = applyConfig(kind, sent, state)
    const sealed = channelConfigs.seal(id, config, kind)
    await assertAddresses(config, kind, platforms.reach(kind))
    return sealed
  }

  /** Removes the data of channels, after their connections are closed so that nothing is answered any more. */
  const forget = async (agent_id: string, channel_ids: readonly string[]) => {
    await Promise.all(channel_ids.map((id) => supervisor.close(id)))
    const theirs = { channel_id: { $in: [...channel_ids] } }
    await Promise.all([
      messageInbox.remove(channel_ids),
      conversations.remove(channel_ids),
      channel_approvals.deleteMany(theirs),
    ])
    for (const channel_id of channel_ids) await events.emit('channel.deleted', { channel_id, agent_id })
  }

  return {
    /** Throws NOT_FOUND, also for a channel of another agent. */
    get,
    /** Returns a config sent by a client with its masks replaced by the secrets of `stored`. Throws VALIDATION_FAILED. */
    resolveConfig,
    /** Sorted by name. Throws VALIDATION_FAILED for an unknown cursor. */
    list: ({ _id: agent_id }: AgentDocument, page: PageRequest): Promise<Page<ChannelDocument>> =>
      findPage(channels, { parts: [{ agent_id }], sort: { name: 1 }, bytesOf }, page),

    /**
     * Throws CHANNEL_KIND_UNSUPPORTED, CHANNEL_NAME_TAKEN, ADDRESS_NOT_ALLOWED or VALIDATION_FAILED. An enabled channel
     * needs all required fields, a disabled one may lack some. Repeating a call with the same `id` creates one channel.
     */
    async create(
      { _id: agent_id }: AgentDocument,
      { kind: kindName, name, config = {}, enabled = true }: NewChannel,
      id?: string,
    ): Promise<ChannelDocument> {
      const kind = channelKinds.get(kindName)
      const now = clock.seconds()
      const _id = id ?? ids.make('chn_')
      const channel: ChannelDocument = {
        ...(await seal(_id, kind, config, { enabled })),
        agent_id,
        kind: kindName,
        name,
        enabled,
        revision: 1,
        runtime: { ...INITIAL, since: now },
        created_at: now,
        updated_at: now,
      }
      const earlierChannel = id === undefined ? null : await channels.findOne({ _id: id, agent_id })
      if (earlierChannel) return earlierChannel
      await save(name, channels.insertOne(channel))
      noteChange(agent_id, _id)
      await supervisor.reconcile()
      return get({ _id: agent_id } as AgentDocument, _id)
    },

    /**
     * Merges `config` into the stored one (RFC 7396); a mask in it keeps the stored secret. Throws as `create` does, and
     * VALIDATION_FAILED if the change removes a field that the kind requires.
     */
    async update(
      agent: AgentDocument,
      id: string,
      { name, config, enabled }: Partial<Omit<NewChannel, 'kind'>>,
      request: Conditional,
    ): Promise<ChannelDocument> {
      // Retried if another change came first: a mask refers to the secret that is stored now.
      for (;;) {
        const old = await get(agent, id)
        const unchanged = requireUnchanged(request, old, channelFields)
        const kind = config || enabled ? channelKinds.get(old.kind) : undefined
        const state = { enabled: enabled ?? old.enabled, stored: old }
        const sealed = kind && (await seal(id, kind, config ?? {}, state))
        const $set = {
          ...(name !== undefined && { name }),
          ...(sealed && { config: sealed.config, secret_config: sealed.secret_config }),
          ...(enabled !== undefined && { enabled }),
          updated_at: clock.seconds(),
        }
        const isReconnected = config !== undefined || enabled !== undefined
        const filter = { _id: id, agent_id: agent._id, revision: old.revision, ...unchanged }
        const update = { $set, $inc: { revision: isReconnected ? 1 : 0 } }
        const changed = await save(name ?? old.name, channels.updateOne(filter, update))
        if (changed.matchedCount === 0) continue
        noteChange(agent._id, id)
        if (isReconnected) await supervisor.reopen(id)
        return get(agent, id)
      }
    },

    /** Disconnects a channel and removes it with all its data. */
    async remove(agent: AgentDocument, id: string) {
      const { name } = await get(agent, id)
      const { deletedCount } = await channels.deleteOne({ _id: id, agent_id: agent._id })
      if (deletedCount === 0) throw new AppError('NOT_FOUND')
      noteChange(agent._id, id)
      await forget(agent._id, [id])
      return { name }
    },

    async removeAllOf(agent_id: string) {
      const agentChannels = await channels.find({ agent_id }, { projection: { _id: 1 } }).toArray()
      await channels.deleteMany({ agent_id })
      await forget(
        agent_id,
        agentChannels.map(({ _id }) => _id),
      )
      await channel_registrations.deleteMany({ agent_id })
    },

    show: (channel: ChannelDocument): ChannelRow => ({
      id: channel._id,
      agent_id: channel.agent_id,
      kind: channel.kind,
      name: channel.name,
      enabled: channel.enabled,
      config: channelConfigs.mask(channel),
      runtime: channel.runtime,
      ...showManaged(channel),
      created_at: channel.created_at,
      updated_at: channel.updated_at,
    }),
  }
}

const issueOf = (field: string, rule: string, message: string): Issue => {
  return { path: field === '' ? '/config' : `/config/${field}`, rule, message }
}

function refuse(issues: Issue[]): void {
  if (issues.length > 0) throw new AppError('VALIDATION_FAILED', { issues })
}
