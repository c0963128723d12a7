import { EventEmitter } from 'node:events'
import type { Place, SentFile } from '../../plugin-api/testing/fake-platform.ts'
import type { Block } from './fake-slack-blocks.ts'

export const BOT_TOKEN = 'xoxb-1111-2222-secretOfTheBot'
export const APP_TOKEN = 'xapp-1-A0FAKE-3333-secretOfTheApp'
export const BOT_USER = 'U0BOT'
export const GROUP = 'C0GROUP'

/** The channel in which people speak to the bot alone. */
export const DIRECT = 'D0DIRECT'

export const placeOf = (channel: string): Place => (channel.startsWith('D') ? 'direct' : 'group')

/** A message in a channel. */
export interface Message {
  ts: string
  channel: string
  thread_ts?: string
  /** True if the bot wrote it. */
  isBots: boolean
  text: string
  blocks: Block[]
  /** The content before the buttons were removed, which a client may still show. */
  oldBlocks?: Block[]
  history: string[]
  client_msg_id?: string
  file?: SentFile
}

/** A file that a person sent, or that the bot is sending. */
export interface StoredFile extends SentFile {
  id: string
  length: number
  isShared: boolean
  /** The channel into which the bot shared it. */
  channel?: string
  /** More fields of the file in Slack's answers. */
  fields?: Record<string, unknown>
}

/** The state shared by the parts of the fake. */
export interface World {
  messages: Message[]
  files: Map<string, StoredFile>
  /** Refusals for the next calls of a method; `send` means all methods that send. */
  refusals: { method: string; calls: number; refuse: Refusal; isDone?: boolean }[]
  /** Answers to the next uploads and downloads. */
  fileAnswers: { status: number; headers?: Record<string, string>; body?: string }[]
  /** Each call of the Web API. */
  calls: { method: string; fields: Record<string, string> }[]
  /** Messages that only one person sees. */
  whispers: { user: string; channel: string; thread_ts?: string; text: string }[]
  typings: number
  scopes: string[]
  violations: string[]
  /** Emits `shown` with a timestamp when a message changes or a person sees a notice. */
  events: EventEmitter
  nextTs(at?: number): string
}

/** A refusal of a call. */
export interface Refusal {
  status?: number
  retryAfter?: number
  /** Text as it is, or JSON. */
  body: string | { ok: false; error: string; [field: string]: unknown }
}

/** Makes a world in which nothing has been said yet. */
export function createWorld(): World {
  let count = 0
  return {
    messages: [],
    files: new Map(),
    refusals: [],
    fileAnswers: [],
    calls: [],
    whispers: [],
    typings: 0,
    scopes: ['chat:write', 'files:read', 'files:write', 'im:history', 'app_mentions:read'],
    violations: [],
    events: new EventEmitter().setMaxListeners(0),
    nextTs(at = Date.now()) {
      const milliseconds = String(at % 1000).padStart(3, '0')
      return `${Math.floor(at / 1000)}.${milliseconds}${String(++count % 1000).padStart(3, '0')}`
    },
  }
}
