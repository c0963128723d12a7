import {
  type Cradle as CradleOf,
  type DefineRoute,
  type DefineSocket,
  defineManifest,
  defineRoute,
  defineSocket,
} from '#plugin-api'
import { chatErrors } from './errors.ts'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'chat',
  summary: 'Conversations: threads, turns and the ledger that every view reads',
  tag: {
    name: 'Chat',
    order: 40,
    description:
      'Threads, their history, and the decisions that paused turns wait for. Turns run over the WebSocket of the AsyncAPI document.',
  },
  depends: ['users', 'auth', 'providers', 'agents', 'signals'],
  config: {
    approval_seconds: { type: 'integer', minimum: 1, maximum: 2_592_000, default: 86_400 },
    inline_document_chars: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 24_000 },
    keep_days: { type: 'integer', minimum: 1, maximum: 36_500 },
    title_model: {
      type: 'string',
      pattern: '^(agent|off|[^:]+:.+)$',
      maxLength: 256,
      default: 'agent',
      env: 'SVC_TITLE_MODEL',
    },
    quota_window: { enum: ['all', 'day', 'month'], default: 'all' },
  },
  errors: chatErrors,
  limits: {
    threads: { default: 10_000, description: 'Threads of an account, with all agents' },
    running_turns: { default: 64, description: 'Turns of an account that run at a time; more of them wait' },
    waiting_turns: { default: 256, description: 'Turns of an account that wait' },
  },
  events: [
    'approval.requested',
    'approval.resolved',
    'message.stored',
    'thread.changed',
    'thread.deleted',
    'tool.called',
    'turn.ended',
    'turn.started',
  ],
})

declare module '#kernel/types' {
  interface Manifests {
    chat: typeof manifest
  }
}

/** The cradle that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
/** Declares a socket of this plugin. */
export const socket: DefineSocket<Cradle> = defineSocket
