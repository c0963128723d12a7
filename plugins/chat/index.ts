import { definePlugin } from '#kernel'
import { approvalRoutes } from './approval-routes.ts'
import { type Chat, createChat } from './chat.ts'
import { chatSocket } from './chat-socket.ts'
import type {
  ClientMessageDocument,
  MessageDocument,
  QueuedTurnDocument,
  ThreadDocument,
} from './documents.ts'
import { threadReaderGuard } from './guards.ts'
import { createHistory, type History } from './history.ts'
import { createHub, type Hub } from './ledger/hub.ts'
import { createLedger, type Ledger } from './ledger/ledger.ts'
import type { LedgerEvent } from './ledger/ledger-event.ts'
import { createLedgerReader, type LedgerReader, ledgerIndexes } from './ledger/ledger-reader.ts'
import { manifest } from './manifest.ts'
import { createTurnReplay, type TurnReplay } from './replay/turn-replay.ts'
import { chatRoutes } from './routes.ts'
import { createForks, type Forks } from './threads/forks.ts'
import { createMessages, type Messages, messageIndexes } from './threads/messages.ts'
import { createNamedFiles, type NamedFiles } from './threads/named-files.ts'
import { createRecentMessages, type RecentMessages } from './threads/recent-messages.ts'
import { createRetention, type Retention } from './threads/retention.ts'
import { createRunningFiles, type RunningFiles } from './threads/running-files.ts'
import { createThreadArchive, type ThreadArchive } from './threads/thread-archive.ts'
import { createThreadMigrations, type ThreadMigrations } from './threads/thread-migrations.ts'
import { createThreads, type Threads, threadIndexes } from './threads/threads.ts'
import { createWrittenFiles, type WrittenFiles } from './threads/written-files.ts'
import { clientMessageIndexes } from './turns/client-messages.ts'
import { createHeldCalls, type HeldCalls } from './turns/held-calls.ts'
import { createQueuedTurns, type QueuedTurns, queuedTurnIndexes } from './turns/queued-turns.ts'
import { createRecovery, type Recovery } from './turns/recovery.ts'
import { createResumption, type Resumption } from './turns/resumption.ts'
import { createRunningTurns, type RunningTurns } from './turns/running-turns.ts'
import { createSettlement, type Settlement } from './turns/settlement.ts'
import { createTurnExecution, type TurnExecution } from './turns/turn-execution.ts'
import { createTurnQueue, type TurnQueue } from './turns/turn-queue.ts'
import { createTurnRunner, type TurnRunner } from './turns/turn-runner.ts'
import { createTurns, type Turns } from './turns/turns.ts'

declare module '#kernel/types' {
  interface Services {
    chat: {
      turnReplay: TurnReplay
      history: History
      ledgerReader: LedgerReader
      threads: Threads
      threadArchive: ThreadArchive
      chat: Chat
      forks: Forks
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
      turns: Turns
      resumption: Resumption
      messages: Messages
      namedFiles: NamedFiles
      runningFiles: RunningFiles
      writtenFiles: WrittenFiles
      retention: Retention
      recent: RecentMessages
      settlement: Settlement
      queuedTurns: QueuedTurns
      turnQueue: TurnQueue
      hub: Hub
      running: RunningTurns
      heldCalls: HeldCalls
      recovery: Recovery
      turnExecution: TurnExecution
      turnRunner: TurnRunner
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('threads', { indexes: threadIndexes })
    host.collection('messages', { indexes: messageIndexes })
    host.collection('client_messages', { indexes: clientMessageIndexes })
    host.collection('queued_turns', { indexes: queuedTurnIndexes })
    host.collection('events', { indexes: ledgerIndexes })
    host.service('hub', createHub)
    host.service('ledger', ({ collections, clock, log, server, hub }) =>
      createLedger({ events: collections.events, clock, log, writer: server.node_id, publish: hub.publish }),
    )
    host.provide('ledgerReader', ({ collections, hub, ledger }) =>
      createLedgerReader({ events: collections.events, hub, ledger }),
    )
    host.limit('threads', ({ collections }, user_id) => collections.threads.countDocuments({ user_id }))
    host.provide('threads', ({ agents, collections, clock, events, ids, limits }) =>
      createThreads({ agents, threads: collections.threads, clock, events, ids, limits }),
    )
    host.service('threadMigrations', ({ collections, clock }) =>
      createThreadMigrations({ threads: collections.threads, clock }),
    )
    host.provide('threadArchive', createThreadArchive)
    host.service('messages', ({ collections }) => createMessages(collections.messages))
    host.service('retention', ({ collections, messages }) =>
      createRetention({ threads: collections.threads, messages }),
    )
    host.service('settlement', createSettlement)
    host.service('recent', ({ messages }) => createRecentMessages(messages))
    host.service('turns', ({ collections, clock, ids, server }) =>
      createTurns({
        threads: collections.threads,
        clientMessages: collections.client_messages,
        clock,
        ids,
        node_id: server.node_id,
      }),
    )
    host.service('queuedTurns', ({ collections, clock }) =>
      createQueuedTurns({ queuedTurns: collections.queued_turns, clock }),
    )
    host.limit('waiting_turns', ({ queuedTurns }, user_id) => queuedTurns.countOfAccount(user_id))
    host.service('running', createRunningTurns)
    host.limit('running_turns', ({ running }, user_id) => running.countOf(user_id))
    host.service('heldCalls', createHeldCalls)
    host.service('recovery', createRecovery)
    host.service('turnExecution', (cradle) => createTurnExecution(cradle))
    host.service('resumption', createResumption)
    host.provide('history', createHistory)
    host.service('turnRunner', createTurnRunner)
    host.service('turnQueue', createTurnQueue)
    host.provide('turnReplay', createTurnReplay)
    host.provide('chat', createChat)
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
    host.extend('agents.stopping', ({ agent_id }, { chat }) => chat.stopAgent(agent_id))
    host.extend('agents.removal', async ({ agent_id }, { chat, threads }) =>
      chat.purge(await threads.hide({ agent_id })),
    )
    host.extend('users.removal', async ({ user_id }, { chat, threads }) =>
      chat.purge(await threads.hide({ user_id })),
    )
    host.extend('agents.read_marks', ({ user_id, agent_id }, { threads }) =>
      threads.markRead({ user_id, agent_id }),
    )
    host.extend('agents.named_files', (asked, { namedFiles }) => namedFiles(asked))
    host.extend('agents.written_files', (asked, { writtenFiles }) => writtenFiles(asked))
    host.extend('agents.unread_counts', ({ user_id, agent_ids }, { threads }) =>
      threads.countUnread(user_id, agent_ids),
    )
    host.extend('agents.activity', ({ agent_id }, { chat }) => ({ turns_active: chat.countActive(agent_id) }))
    host.extend('overview.counts', async (_, { threads, turns }) => ({
      threads: await threads.count(),
      turns_active: await turns.countLive(),
    }))
    host.extend('usage.quota_window', (_, { config }) => config.quota_window)
    host.job({
      name: 'chat.recovery',
      every_seconds: 5,
      async run({ recovery, resumption, turnQueue }) {
        await recovery.adopt()
        await resumption.expire()
        await turnQueue.watchAll()
      },
    })
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
  start: ({ chat }) => chat.start(),
  async ready({ recovery, turnQueue }) {
    await recovery.begin()
    await turnQueue.begin()
  },
  stop: ({ chat }) => chat.drain(),
})
