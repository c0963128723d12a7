import {
  type ChannelKind,
  createDeclarable,
  createSealedConfigs,
  definePlugin,
  type LeaseDocument,
  listNames,
  managedIndex,
  type SealedConfigs,
  type UploadedFile,
} from '#plugin-api'
import { countChannels, readChannelGauges, showChannels } from './channel-counts.ts'
import { type Channels, createChannels } from './channels.ts'
import { assertChannelKind, type ChannelKinds, createChannelKinds } from './config/kinds.ts'

import { type ChannelStates, createChannelStates } from './connections/channel-states.ts'
import { type ConnectionLeases, createConnectionLeases } from './connections/connection-leases.ts'
import { createPlatforms, type Platforms } from './connections/platforms.ts'
import { createSupervisor, type Supervisor } from './connections/supervisor.ts'
import { listUnreportedStates, unreportedIndex } from './connections/unreported-states.ts'
import { createMessageAnswering, deliverAnswer, type MessageAnswering } from './conversations/answering.ts'
import {
  type ApprovalDocument,
  type Approvals,
  approvalIndexes,
  createApprovals,
} from './conversations/approvals.ts'
import { type Commands, createCommands } from './conversations/commands.ts'
import { type Conversations, createConversations } from './conversations/conversations.ts'

import { createMessageInbox, inboxIndexes, type Lane, type MessageInbox } from './conversations/inbox.ts'
import { createIntake, type Intake } from './conversations/intake.ts'
import { findListeners } from './conversations/listeners.ts'

import type { ChannelDocument, ConversationDocument, InboxDocument } from './documents.ts'
import { hookRoutes } from './hook-routes.ts'
import { manifest } from './manifest.ts'
import { type ChannelProbe, createChannelProbe } from './probing.ts'
import {
  createRegistrations,
  type RegistrationDocument,
  type Registrations,
  registrationIndexes,
} from './registrations/registrations.ts'
import { channelRoutes } from './routes.ts'

declare module '../../operation/signals/types.ts' {
  interface Facts {
    'channel.changed': { channel_id: string }
    /** A message of a channel that another process has waits for an answer. */
    'channel.message': Lane
    /** An agent, maybe one with channels, has changed. */
    'channel.agent_changed': { agent_id: string }
  }
}

declare module '#kernel/types' {
  interface Collections {
    channels: {
      channels: ChannelDocument
      channel_leases: LeaseDocument
      channel_inbox: InboxDocument
      channel_conversations: ConversationDocument
      channel_approvals: ApprovalDocument
      channel_registrations: RegistrationDocument
    }
  }
  interface PrivateServices {
    channels: {
      channels: Channels
      channelKinds: ChannelKinds
      channelConfigs: SealedConfigs
      channelProbe: ChannelProbe
      connectionLeases: ConnectionLeases
      channelStates: ChannelStates
      platforms: Platforms
      supervisor: Supervisor
      messageInbox: MessageInbox
      conversations: Conversations
      approvals: Approvals
      commands: Commands
      intake: Intake
      messageAnswering: MessageAnswering
      registrations: Registrations
    }
  }
  interface ExtensionPoints {
    /** Messaging platforms. A folder in `~/.svc/channels` registers one as well. */
    'channels.kinds': ChannelKind
    /**
     * Returns the words of an audio file that came with a message, before its turn begins; undefined if nobody knows
     * them: the agent receives the file in any case. The file lies at its path until the answer.
     */
    'channels.transcripts': (question: {
      channel_id: string
      agent_id: string
      thread_id: string
      /** The owner of the agent, whose account the call is for. */
      user_id: string
      file: UploadedFile
      signal: AbortSignal
    }) => Promise<{ text: string } | undefined> | undefined
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('channels', {
      indexes: [
        { key: { agent_id: 1, name: 1 }, unique: true },
        { key: { enabled: 1 } },
        unreportedIndex,
        managedIndex,
      ],
      sealed: { secret_config: 'channel:{_id}', cursor: 'cursor:{_id}' },
    })
    host.collection('channel_leases')
    host.collection('channel_inbox', {
      indexes: inboxIndexes,
      sealed: { sealed: 'inbox:{_id}', cursor: 'inbox-cursor:{_id}' },
    })
    host.collection('channel_conversations', {
      indexes: [
        { key: { channel_id: 1, last_message_at: -1, _id: -1 } },
        { key: { thread_id: 1 }, partialFilterExpression: { thread_id: { $exists: true } } },
      ],
      sealed: { target: 'conversation:{_id}', overheard_files: 'overheard-files:{_id}' },
    })
    host.collection('channel_approvals', { indexes: approvalIndexes, sealed: { sent: 'approval:{_id}' } })
    host.collection('channel_registrations', {
      indexes: registrationIndexes,
      sealed: { state: 'registration:{_id}' },
    })
    host.extensionPoint('channels.kinds', {
      noun: 'channel kind',
      nameOf: ({ kind }) => kind,
      check: assertChannelKind,
      folder: 'channels',
    })
    host.extensionPoint('channels.transcripts', { noun: 'transcriber of voice messages' })
    host.service('channelKinds', createChannelKinds)
    host.service('channelConfigs', (cradle) => createSealedConfigs('channel', cradle))
    host.service('connectionLeases', createConnectionLeases)
    host.service('channelStates', createChannelStates)
    host.service('platforms', ({ config, extensions, log }) =>
      createPlatforms({ ...config, kinds: extensions['channels.kinds'], log }),
    )
    host.service('messageInbox', createMessageInbox)
    host.service('conversations', createConversations)
    host.service('approvals', createApprovals)
    host.service('commands', createCommands)
    host.service('intake', createIntake)
    host.service('messageAnswering', createMessageAnswering)
    host.service('supervisor', createSupervisor)
    host.service('channels', createChannels)
    host.service('channelProbe', createChannelProbe)
    host.service('registrations', createRegistrations)
    host.routes(channelRoutes)
    host.routes(hookRoutes)
    for (const name of ['channel.changed', 'channel.deleted'] as const)
      host.on(name, ({ channel_id }, { signals, supervisor }) => {
        signals.publish('channel.changed', { channel_id })
        supervisor.reconcileSoon()
      })
    host.on('agent.changed', ({ agent_id }, { signals, supervisor }) => {
      signals.publish('channel.agent_changed', { agent_id })
      supervisor.reconcileSoon()
    })
    host.extend('agents.stopping', ({ agent_id }, { supervisor }) => supervisor.closeAllOf(agent_id))
    host.extend('agents.removal', ({ agent_id }, { channels }) => channels.removeAllOf(agent_id))
    host.extend('users.removal', ({ user_id }, { registrations }) => registrations.removeAllOf(user_id))
    host.extend('schedules.destinations', async (destination, cradle) => {
      const conversation = await cradle.conversations.find(destination)
      if (!conversation) return undefined
      const { channel_id, conversation_id } = conversation
      return { channel_id, conversation_id, listeners: await findListeners(conversation, cradle) }
    })
    host.extend('memory.listeners', async ({ agent_id, thread_id }, cradle) => {
      const conversation = await cradle.conversations.find({ agent_id, thread_id })
      return conversation && findListeners(conversation, cradle)
    })
    host.extend('schedules.deliveries', deliverAnswer)
    host.extend('webhooks.sources', listUnreportedStates)
    host.extend('agents.activity', showChannels)
    host.extend(
      'declared.kinds',
      createDeclarable({ name: 'channel', collection: () => host.cradle.collections.channels }),
    )
    host.extend('audit.names', ({ ids }, { collections }) =>
      listNames(collections.channels, ids, { kind: 'channel', field: 'name' }),
    )
    host.extend('overview.counts', countChannels)
    host.extend('metrics.gauges', readChannelGauges)
  },
  async start({ signals, supervisor }) {
    await supervisor.start()
    signals.on('channel.changed', () => supervisor.reconcileSoon())
    signals.on('channel.agent_changed', () => supervisor.reconcileSoon())
    signals.on('channel.message', (lane) => supervisor.wakeHere(lane))
    signals.onMissed(() => supervisor.reconcileSoon())
  },
  async stop({ supervisor, platforms }) {
    await supervisor.stop()
    await platforms.close()
  },
})
