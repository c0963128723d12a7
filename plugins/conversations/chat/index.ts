import { definePlugin, measureCollections, SVC_COMMAND } from '#plugin-api'
import { approvalRoutes } from './approval-routes.ts'
import { type Chat, createChat } from './chat.ts'
import { chatSocket } from './chat-socket.ts'
import type {
  ClientMessageDocument,
  MessageDocument,
  QueuedTurnDocument,
  ThreadDocument,
} from './documents.ts'
import { type ChatFilters, createChatFilters } from './filters/filters.ts'
import { assertChatFilter } from './filters/form.ts'
import { threadReaderGuard } from './guards.ts'
import { createHistory, type History } from './history.ts'
import { createHub, type Hub } from './ledger/hub.ts'
import { createLedger, type Ledger } from './ledger/ledger.ts'
import type { LedgerEvent } from './ledger/ledger-event.ts'
import { createLedgerReader, type LedgerReader, ledgerIndexes } from './ledger/ledger-reader.ts'
import { createTail, type Tail } from './ledger/tail.ts'
import { listUnreportedTurns } from './ledger/unreported-turns.ts'
import { manifest } from './manifest.ts'
import { type ClientMessages, clientMessageIndexes, createClientMessages } from './queue/client-messages.ts'
import { createQueuedTurns, type QueuedTurns, queuedTurnIndexes } from './queue/queued-turns.ts'
import { createTurnQueue, type TurnQueue } from './queue/turn-queue.ts'
import { createTurnReplay, type TurnReplay } from './replay/turn-replay.ts'
import { createHeldCalls, type HeldCalls } from './resumption/held-calls.ts'
import { createRecovery, type Recovery } from './resumption/recovery.ts'
import { createResumption, type Resumption } from './resumption/resumption.ts'
import { chatRoutes } from './routes.ts'
import { createForks, type Forks } from './threads/forks.ts'
import './threads/message-writes.ts'
import { type AddedTurns, createAddedTurns } from './threads/added-turns.ts'
import { createMessages, type Messages, messageIndexes } from './threads/messages.ts'
import { createNamedFiles, type NamedFiles } from './threads/named-files.ts'
import { createOwnMessages, type OwnMessages } from './threads/own-messages.ts'
import { pruneThreads } from './threads/pruning.ts'
import { createRecentMessages, type RecentMessages } from './threads/recent-messages.ts'
import { repairRestored } from './threads/restored.ts'
import { createRetention, type Retention } from './threads/retention.ts'
import { createRunningFiles, type RunningFiles } from './threads/running-files.ts'
import { createThreadArchive, type ThreadArchive } from './threads/thread-archive.ts'
import { threadIndexes } from './threads/thread-indexes.ts'
import { createThreadMigrations, type ThreadMigrations } from './threads/thread-migrations.ts'
import { createThreadProjects, type ThreadProjects } from './threads/thread-projects.ts'
import { createThreads, type Threads } from './threads/threads.ts'
import { createTitles, type Titles } from './threads/titles.ts'
import { createVersions, type Versions } from './threads/versions.ts'
import { createWrittenFiles, type WrittenFiles } from './threads/written-files.ts'
import './threads/thread-facts.ts'
import { stopRevokedTurns } from './turns/revoked-turns.ts'
import {
  createForeignTurns,
  createRunningTurns,
  type ForeignTurns,
  type RunningTurns,
} from './turns/running-turns.ts'
import { createTurnLeases, type TurnLeases } from './turns/turn-leases.ts'
import { createTurnOutcomes, type TurnOutcomes } from './turns/turn-outcome.ts'
import { createUnattendedTurns, type UnattendedTurns } from './turns/unattended-turns.ts'

declare module '#kernel/types' {
  interface Services {
    chat: {
      turnReplay: TurnReplay
      history: History
      ledgerReader: LedgerReader
      threads: Threads
      threadProjects: ThreadProjects
      ownMessages: OwnMessages
      threadArchive: ThreadArchive
      chat: Chat
      forks: Forks
      chatFilters: ChatFilters
      unattendedTurns: UnattendedTurns
    }
  }
  interface Collections {
    chat: {
      threads: ThreadDocument
      messages: MessageDocument
      client_messages: ClientMessageDocument
      queued_turns: QueuedTurnDocument
      events: LedgerEvent
    }
  }
  interface GuardContexts {
    /** Accounts that `agent` lets in, and accounts with threads of an agent that is no longer shared with them. */
    thread_reader: GuardContexts['agent']
  }
  interface PrivateServices {
    chat: {
      ledger: Ledger
      threadMigrations: ThreadMigrations
      turnLeases: TurnLeases
      clientMessages: ClientMessages
      resumption: Resumption
      messages: Messages
      versions: Versions
      titles: Titles
      namedFiles: NamedFiles
      runningFiles: RunningFiles
      writtenFiles: WrittenFiles
      retention: Retention
      addedTurns: AddedTurns
      recent: RecentMessages
      turnOutcomes: TurnOutcomes
      queuedTurns: QueuedTurns
      turnQueue: TurnQueue
      hub: Hub
      tail: Tail
      foreignTurns: ForeignTurns
      running: RunningTurns
      heldCalls: HeldCalls
      recovery: Recovery
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('chat.message_writes', { noun: 'writer beside messages' })
    // Backups read them in the reverse order; `repairRestored` relies on it that threads come first.
    host.collection('events', { indexes: ledgerIndexes })
    host.collection('queued_turns', { indexes: queuedTurnIndexes })
    host.collection('client_messages', { indexes: clientMessageIndexes })
    host.collection('messages', { indexes: messageIndexes })
    host.collection('threads', { indexes: threadIndexes })
    host.service('hub', ({ signals }) => createHub(signals))
    host.service('ledger', ({ collections, clock, log, server, hub }) =>
      createLedger({
        events: collections.events,
        clock,
        log,
        writer: server.node_id,
        publisherOf: hub.publisherOf,
      }),
    )
    host.provide('ledgerReader', createLedgerReader)
    host.limit('threads', ({ collections }, user_id) => collections.threads.countDocuments({ user_id }))
    host.provide('threads', ({ agents, collections, clock, events, ids, limits }) =>
      createThreads({ agents, threads: collections.threads, clock, events, ids, limits }),
    )
    host.extensionPoint('chat.filters', {
      noun: 'filter',
      nameOf: ({ name }) => name,
      check: assertChatFilter,
    })
    host.provide('chatFilters', createChatFilters)
    host.extensionPoint('chat.projects', { noun: 'source of projects' })
    host.provide('threadProjects', createThreadProjects)
    host.service('threadMigrations', ({ collections, clock }) =>
      createThreadMigrations({ threads: collections.threads, clock }),
    )
    host.service('addedTurns', createAddedTurns)
    host.provide('threadArchive', createThreadArchive)
    host.service('messages', ({ collections, extensions, log }) =>
      createMessages(collections.messages, { extensions, log }),
    )
    host.provide('ownMessages', ({ collections }) => createOwnMessages(collections))
    host.service('versions', createVersions)
    host.service('retention', ({ collections, messages }) =>
      createRetention({ threads: collections.threads, messages }),
    )
    host.service('turnOutcomes', createTurnOutcomes)
    host.service('recent', ({ messages }) => createRecentMessages(messages))
    host.service('turnLeases', ({ collections, clock, ids, nodes, server, signals }) =>
      createTurnLeases({
        threads: collections.threads,
        clock,
        ids,
        node_id: server.node_id,
        isGone: nodes.isGone,
        onStopRequested: (thread_id) => signals.publish('turn.unwanted', { thread_id }),
      }),
    )
    host.service('clientMessages', createClientMessages)
    host.service('queuedTurns', createQueuedTurns)
    host.limit('waiting_turns', ({ queuedTurns }, user_id) => queuedTurns.countOfAccount(user_id))
    host.service('running', createRunningTurns)
    host.limit('running_turns', ({ running }, user_id) => running.countOf(user_id))
    host.service('heldCalls', createHeldCalls)
    host.service('recovery', createRecovery)
    host.service('tail', createTail)
    host.service('foreignTurns', createForeignTurns)
    host.service('resumption', createResumption)
    host.provide('history', createHistory)
    host.service('titles', createTitles)
    host.service('turnQueue', createTurnQueue)
    host.provide('turnReplay', createTurnReplay)
    host.provide('chat', createChat)
    host.provide('unattendedTurns', createUnattendedTurns)
    host.provide('forks', createForks)
    host.service('runningFiles', ({ collections, ledgerReader }) =>
      createRunningFiles({ threads: collections.threads, ledgerReader }),
    )
    host.service('namedFiles', ({ collections, messages, runningFiles }) =>
      createNamedFiles({ threads: collections.threads, messages, runningFiles }),
    )
    host.service('writtenFiles', ({ collections, messages, runningFiles }) =>
      createWrittenFiles({ threads: collections.threads, messages, runningFiles }),
    )
    host.guard('thread_reader', threadReaderGuard)
    host.routes(chatRoutes)
    host.routes(approvalRoutes)
    host.socket(chatSocket)
    host.on('turn.started', ({ thread_id }, { nodes, signals }) => {
      nodes.hurry()
      signals.publish('turn.begun', { thread_id })
    })
    host.on('approval.resolved', ({ thread_id }, { signals }) => {
      signals.publish('turn.begun', { thread_id })
      signals.publish('turn.resolved', { thread_id })
    })
    host.on('agent.unshared', ({ agent_id }, cradle) => stopRevokedTurns({ agent_id }, cradle))
    host.on('user.changed', ({ user_id }, cradle) => stopRevokedTurns({ user_ids: [user_id] }, cradle))
    host.on('group.changed', ({ user_ids }, cradle) => stopRevokedTurns({ user_ids }, cradle))
    host.extend('agents.stopping', ({ agent_id }, { chat, signals }) => {
      signals.publish('agent.stopping', { agent_id })
      return chat.stopAgent(agent_id)
    })
    host.extend('agents.removal', async ({ agent_id }, { chat, threads }) =>
      chat.purge(await threads.hide({ agent_id })),
    )
    host.extend('users.removal', async ({ user_id }, { chat, threads }) =>
      chat.purge(await threads.hide({ user_id })),
    )
    host.extend('agents.read_marks', ({ user_id, agent_id }, { threads }) =>
      threads.markRead({ user_id, agent_id }),
    )
    host.extend('agents.named_files', (request, { namedFiles }) => namedFiles(request))
    host.extend('agents.written_files', (request, { writtenFiles }) => writtenFiles(request))
    host.extend('agents.unread_counts', ({ user_id, agent_ids }, { threads }) =>
      threads.countUnread(user_id, agent_ids),
    )
    host.extend('webhooks.sources', listUnreportedTurns)
    host.extend('agents.activity', ({ agent_id }, { chat }) => ({ turns_active: chat.countActive(agent_id) }))
    host.extend('retention.prunings', ({ dry_run }, cradle) => pruneThreads(cradle, dry_run))
    host.extend('overview.counts', async (_, { collections, threads, turnLeases }) => ({
      bytes: {
        conversations: await measureCollections(
          collections.threads,
          collections.messages,
          collections.events,
          collections.client_messages,
          collections.queued_turns,
        ),
      },
      threads: await threads.count(),
      turns_active: await turnLeases.countLive(),
    }))
    host.extend('metrics.gauges', async (_, { running, queuedTurns }) => [
      { name: 'svc_turns_running', help: 'Turns of this process that run', value: running.list().length },
      {
        name: 'svc_turns_waiting',
        help: 'Turns that wait, of all processes',
        value: await queuedTurns.count(),
      },
    ])
    host.extend('backup.restored', (_, { collections }) => repairRestored(collections))
    host.extend('usage.quota_window', (_, { config }) => config.quota_window)
    host.job({ name: 'chat.recovery', every_seconds: 5, run: ({ recovery }) => recovery.adopt() })
    host.job({ name: 'chat.expiry', every_seconds: 15, run: ({ resumption }) => resumption.expire() })
    host.job({ name: 'chat.queue', every_seconds: 30, run: ({ turnQueue }) => turnQueue.watchAll() })
    host.job({
      name: 'chat.removal',
      every_seconds: 60,
      async run({ chat, threads }) {
        await threads.hideUnfinished()
        await chat.purge(await threads.listHidden())
      },
    })
    host.health(({ ledger }) => {
      if (ledger.failure) throw ledger.failure
    })
  },
  start: ({ chat }) => chat.begin(),
  async ready({ recovery, turnQueue }, announce) {
    await recovery.begin()
    await turnQueue.begin()
    announce('chat', `${SVC_COMMAND} chat   (in a second terminal)`)
  },
  async stop({ chat, titles }) {
    await chat.drain()
    await titles.stop()
  },
})
