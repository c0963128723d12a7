import type { LookupFunction } from 'node:net'
import type { JSONSchema, LocalizedText, Logger } from '#kernel'
import type { AnyConfig } from './config-of.ts'

/** A value that JSON can hold. */
export type JSONValue = string | number | boolean | null | JSONValue[] | { [name: string]: JSONValue }

/** The kind of a conversation: with the bot alone, or in a group. */
export type ConversationType = 'direct' | 'group'

/** The means with which a kind reaches its platform. */
export interface ChannelSettings<Config = AnyConfig> {
  /** Valid by the kind's schema, its secrets in the clear. */
  config: Config
  /** The platform's addresses: those that the kind declares, or what the server's settings say instead. No slash at the end. */
  endpoints: Readonly<Record<string, string>>
  /** Reaches the endpoints and public addresses; throws ADDRESS_NOT_ALLOWED for private ones. */
  fetch: typeof globalThis.fetch
  /** The same rule for connections that are no `fetch`: check the URL, then connect with `lookup`. */
  assertAllowed(url: string): Promise<void>
  lookup: LookupFunction
}

/** Who wrote a message; ids are the platform's. */
export interface Sender {
  id: string
  name?: string
}

/** A file that came with a message; `reference` is what `download` needs to get it. */
export interface InboundFile {
  filename?: string
  media_type?: string
  size?: number
  reference: JSONValue
}

/** A message that another one replies to or passes on. */
export interface QuotedMessage {
  text: string
  sender?: string
  files?: InboundFile[]
  /** Set if the message was forwarded or shared, not replied to. */
  is_forwarded?: boolean
}

/** A message that a person wrote on the platform. */
export interface InboundMessage {
  /** Unique within the channel; a message that is delivered again has the same. */
  id: string
  /** One conversation of the agent each; a topic or thread of the platform is one of its own. */
  conversation: { id: string; type: ConversationType }
  sender: Sender
  /** As it was written, without the mention of the bot; empty for a message of files alone. */
  text: string
  /** True if the bot is addressed: always so in a direct conversation. */
  mentioned: boolean
  /** Unix milliseconds by the platform's clock: what waits is answered in this order. */
  sent_at?: number
  /** The message that this one replies to or passes on. */
  quote?: QuotedMessage
  files?: InboundFile[]
  /**
   * Names content that the kind cannot read, e.g. `sticker`, if nothing else came with the message: the person is
   * notified. Content that words can describe (a place, a poll) belongs in `text`, as `[location: 52.52, 13.40]`.
   */
  unreadable?: string
  /** All that `send` needs to answer this very message, also after a restart. Stored encrypted. */
  target: JSONValue
}

/** Somebody pressed a button; `value` is that of the button. */
export interface ButtonPress {
  value: string
  sender: Sender
  conversation_id: string
}

/** The outcome. */
export interface PressOutcome {
  /** The answer to the person who pressed, in a few words. */
  notice: string
  /** The new rendered text of the message with the buttons, if the question is closed; the kind need not change it. */
  text?: string
}

/** A request from outside to `/api/hooks/<channel id>`; header names are in lower case. */
export interface HookRequest {
  method: string
  headers: Readonly<Record<string, string | undefined>>
  query: Readonly<Record<string, string>>
  body: Uint8Array
}

/** Its answer. */
export interface HookReply {
  status: number
  headers?: Record<string, string>
  body?: string
}

/** The callbacks with which a kind reports to the gateway. */
export interface Inbox {
  /** Stores a message; tell the platform that it has arrived once this resolves, and not if it rejects. */
  receive(message: InboundMessage): Promise<void>
  press(press: ButtonPress): Promise<PressOutcome>
  /**
   * Reports in a hook that the platform did not deliver something that it had accepted: the failure is logged and shown
   * at the channel. Connections report refusals by rejecting.
   */
  refused?(failure: unknown): Promise<void>
}

/**
 * The position of a channel in what its platform delivers, for platforms that do not remember what a bot has received.
 * It survives restarts, and is forgotten when the account (`identity`) or an address (`addresses`) of the channel
 * changes; without an `identity`, when any field of the kind does. At most 16 KiB of JSON, stored encrypted.
 */
export interface ChannelCursor {
  /** Returns the position that was stored last; undefined if there is none. */
  get(): JSONValue | undefined
  /** Stores a position that no message leads to, such as the first one. */
  set(position: JSONValue): Promise<void>
}

/** The gateway as an open channel sees it. */
export interface ChannelLink extends Inbox {
  channel_id: string
  cursor: ChannelCursor
  /**
   * Stores a message, and with it, in one write, the `position` behind it, from which `cursor.get` continues. Calls with
   * a position take effect in their order; if one rejects, those that wait behind it reject as well.
   */
  receive(message: InboundMessage, position?: JSONValue): Promise<void>
  /**
   * Moves a conversation to another id, e.g. of a group that the platform replaced: its thread, its open messages and the
   * rules of its group. `target` addresses messages that nobody asked for.
   */
  moved(conversation_id: string, to: { id: string; target: JSONValue }): Promise<void>
  /** Aborted when the channel is to be closed. */
  signal: AbortSignal
  log: Logger
  /** Reports that a connection which reconnects by itself is lost, or restored. After `open` it counts as connected. */
  connecting(reason: string): void
  connected(): void
  /** Reports that the connection is lost permanently: the gateway closes the channel and opens it again, unless the reason says that this cannot help. */
  lost(error: unknown): void
}

/** A button under a message; `value` has at most 40 characters out of `A-Z a-z 0-9 : _ -`. */
export interface Button {
  label: string
  value: string
  style: 'primary' | 'danger' | 'default'
}

/** A message to a conversation, in the kind's markdown dialect and no longer than it takes. */
export interface OutboundMessage {
  text: string
  /** The same when the same message is sent again, because nobody knows whether it had arrived: 26 letters and digits. */
  key: string
  buttons?: Button[]
  /** In a group: the ids of the people who may press. */
  pressers?: readonly string[]
}

/** A file for a conversation. */
export interface OutboundFile {
  filename: string
  media_type: string
  bytes: Uint8Array
  key: string
}

/** A message that is changed while the reply is written. */
export interface LiveMessage {
  /** The state that another process needs to continue it; null if that is impossible. */
  reference: JSONValue
  /** Shows the reply so far, all of it. */
  update(text: string, signal: AbortSignal): Promise<void>
  /** Shows the whole of it and ends. Doing it again changes nothing. */
  finish(text: string, signal: AbortSignal): Promise<void>
}

/** An open channel. Each of its calls rejects with a `ChannelFailure`; the gateway retries if that can help. */
export interface ChannelConnection {
  /** Sends a message; returns what `settle` needs to change it later. */
  send(target: JSONValue, message: OutboundMessage, signal: AbortSignal): Promise<JSONValue>
  /** Begins a live message with the first words, or goes on with one that another process began. */
  live?(
    target: JSONValue,
    message: OutboundMessage,
    signal: AbortSignal,
    begun?: JSONValue,
  ): Promise<LiveMessage>
  /** Takes the buttons off a message that `send` gave as `sent`, and shows this text. */
  settle?(target: JSONValue, sent: JSONValue, text: string, signal: AbortSignal): Promise<void>
  sendFile?(target: JSONValue, file: OutboundFile, signal: AbortSignal): Promise<void>
  /** Shows that a reply is being worked on, for a few seconds. */
  typing?(target: JSONValue, signal: AbortSignal): Promise<void>
  /** Gets a file of a message; the gateway stops reading at its limit. */
  download?(reference: JSONValue, signal: AbortSignal): Promise<InboundContent>
  close(): Promise<void> | void
}

/** The bytes of a file, and what the platform says of it only now. */
export interface InboundContent {
  bytes: AsyncIterable<Uint8Array>
  filename?: string
  media_type?: string
}

/** The dialects that replies can be written in. */
export const DIALECTS = [
  'markdown',
  'markdown-without-tables',
  'html',
  'mrkdwn',
  'whatsapp',
  'plain',
] as const

/** The formatted text of a platform: CommonMark with tables or without, Telegram's HTML, Slack's mrkdwn, WhatsApp's marks, or none. */
export type Dialect = (typeof DIALECTS)[number]

/** The abilities of a platform in one kind of conversation. */
export interface ChannelCapabilities {
  dialect: Dialect
  /** The longest message, in the unit below. */
  max_length: number
  /** UTF-16 code units, or bytes of UTF-8. */
  length_unit: 'characters' | 'bytes'
  /** The most messages that may answer one. */
  max_replies?: number
  buttons?: boolean
  /** The rules for changing a live message; missing if `live` cannot be used. */
  live?: {
    /** At most one change in this time, in milliseconds. */
    interval_ms: number
    /** Text that has been shown may only grow. */
    append_only?: boolean
    /** The length of the longest live message, if it is not `max_length`. */
    max_length?: number
    /** Milliseconds for which one may be changed: then it is finished and the reply continues in another. */
    max_ms?: number
  }
  /** Milliseconds for which `typing` is shown. */
  typing_ms?: number
}

/** The code that a person scans, and the state that the kind needs to poll the outcome. */
export interface BegunRegistration {
  qrcode_url: string
  /** Stored encrypted and never shown. */
  state: JSONValue
  expires_in_seconds: number
  /** The shortest time between two polls. */
  interval_seconds: number
}

/** The progress of a registration; `state` and `interval_seconds` only if they change. */
export type PolledRegistration =
  | { status: 'waiting'; state?: JSONValue; interval_seconds?: number }
  | { status: 'success'; config: Record<string, JSONValue> }
  | { status: 'expired' }
  | { status: 'failed'; detail: string }

/** The creation or linking of a bot by scanning a QR code. */
export interface ChannelRegistration {
  /** The result of a success: the credentials, returned once to the poller, or a stored channel. */
  gives: 'credentials' | 'channel'
  begin(platform: PlatformAccess): Promise<BegunRegistration>
  poll(state: JSONValue, platform: PlatformAccess): Promise<PolledRegistration>
}

/** The means with which a platform is reached before there are credentials. */
export interface PlatformAccess extends Pick<ChannelSettings, 'endpoints' | 'fetch'> {
  signal: AbortSignal
}

/**
 * A sort of messaging platform. The default export of each folder in `channels/`, or registered by a plugin.
 * `defineChannelKind` types `Config` by the schema.
 */
export interface ChannelKind<Config = AnyConfig> {
  kind: string
  label: LocalizedText
  /**
   * JSON Schema of what a channel's `config` holds besides what all channels have: a closed object. What it marks
   * writeOnly is stored encrypted and shown masked; what it requires may be missing until the channel is to be opened.
   */
  config_schema: JSONSchema
  /**
   * Fields of a config that hold an address to which the server connects: one that is not a URL, or leads into a private
   * network, is refused when it is saved.
   */
  addresses?: readonly string[]
  /** The platform's addresses by name, without a slash at the end; the settings `plugins.channels.endpoints.<kind>` replace them. */
  endpoints?: Readonly<Record<string, string>>
  capabilities: Readonly<Record<ConversationType, ChannelCapabilities>>
  /** The account on the platform that a config is of: it is never connected twice. */
  identity?(config: Partial<Config>): string | undefined
  /** Says why a config that fits the schema cannot work, e.g. which of two fields is missing. Throws a `ChannelFailure`. */
  check?(config: Partial<Config>): void
  /** Set where `probe` would take the connection away from a channel that has it. */
  probe_takes_over?: boolean
  /** Resolves where the credentials work; receives nothing, sends nothing to anybody. */
  probe(settings: ChannelSettings<Config>, signal: AbortSignal): Promise<void>
  /** Connects; resolves once messages can arrive. Loads the platform's client library, which nothing does before. */
  open(settings: ChannelSettings<Config>, link: ChannelLink): Promise<ChannelConnection>
  /** Answers requests from outside, in any server process; an AppError that it throws is answered as with any route. */
  hook?(settings: ChannelSettings<Config>, inbox: Inbox, request: HookRequest): Promise<HookReply>
  registration?: ChannelRegistration
}
