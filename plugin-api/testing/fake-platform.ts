import type { HookReply, HookRequest } from '#plugin-api'

/** Where on the fake platform something is said: the two conversations that every platform has. */
export type Place = 'direct' | 'group'

/** A file that a person sends. */
export interface SentFile {
  filename: string
  media_type: string
  bytes: Uint8Array
}

/** A message that a person sends on the platform. */
export interface Saying {
  text: string
  /** `direct` unless said otherwise. */
  place?: Place
  /** `ann` unless said otherwise; also the platform's id of that person, unless the fake has `idOf`. */
  sender?: string
  /** True if the bot is mentioned in a group, in the platform's own way; the default is true. */
  mention?: boolean
  /** The platform's id of the message; one of the fake's own otherwise. */
  id?: string
  /** Unix milliseconds; now unless said otherwise. */
  sent_at?: number
  file?: SentFile
  /** The text of a message that this one replies to. */
  quote?: string
}

/** A message of the bot as people see it now, all changes done. */
export interface ShownMessage {
  id: string
  place: Place
  /** As the platform was given it, in its dialect. */
  text: string
  /** Its earlier texts, oldest first: each change that people could see. */
  history: string[]
  /** True while it is still being written; false for ordinary messages. */
  is_live: boolean
  /** Labels of the buttons under it; empty once they are taken off. */
  buttons: string[]
  file?: SentFile
}

/**
 * A platform on loopback that speaks its real protocol to the real client library, with one bot, `ann` and others, a
 * direct conversation and a group. It refuses what the platform refuses, and remembers in `violations` what the
 * platform would let pass and a good bot does not do.
 */
export interface FakePlatform {
  /** For `plugins.channels.endpoints.<kind>`. */
  endpoints: Record<string, string>
  /** Credentials that are right, and some that the platform refuses. */
  config: Record<string, unknown>
  wrong_config: Record<string, unknown>
  /** Other hosts than the endpoints' that must be reached, for `plugins.channels.allow_hosts`. */
  allow_hosts?: string[]
  /** Receives the address at which the platform reaches the server; only for platforms that call the server. */
  attach?(hook: (request: HookRequest) => Promise<HookReply>): void
  /** A person writes; resolves when the bot has told the platform that it has the message. */
  say(saying: Saying): Promise<string>
  /** A person writes while no bot is connected; missing if the platform does not keep such messages for the bot. */
  sayUnheard?(saying: Saying): Promise<string>
  /** Returns the platform's id of a person; missing if it is their name. */
  idOf?(sender: string): string
  /** Delivers a message that was said before once more. */
  redeliver(id: string): Promise<void>
  /** The messages of the bot in a place, oldest first. */
  shown(conversation?: Place): ShownMessage[]
  /** Presses a button by its label; returns the text that the platform shows to the person who pressed it. */
  press(message_id: string, label: string, sender?: string): Promise<string | undefined>
  /** Returns the number of open connections of the bot. */
  connections(): number
  /** Cuts every connection; the bot may come back. */
  drop(): void
  /** Answers the next calls that send or change messages with the platform's own rate limit. */
  limitRate(calls: number, retry_after_seconds: number): void
  /** Answers the next calls that send or change messages with a fault of the server, or of the socket. */
  fail(calls: number): void
  /** Makes the tokens that were given out invalid; missing where the platform has none that expire. */
  expireTokens?(): void
  /** Returns the number of times that `typing` was shown. */
  typings(): number
  /** A person scans the QR code that was begun last; missing where the kind has no registration. */
  scan?(outcome: 'success' | 'expired' | 'failed'): void
  violations: string[]
  close(): Promise<void>
}

/**
 * Something that a platform lacks: the tests of it are left out, or done in another way.
 *
 * | Word | The platform … |
 * |---|---|
 * | `live` | does not show a reply while it is written |
 * | `buttons` | has no buttons |
 * | `settle` | does not let a bot change a message, so that buttons stay after they were used |
 * | `typing` | does not show that a reply is being worked on |
 * | `files_in` | delivers no files to bots |
 * | `files_out` | takes no files from bots |
 * | `unmentioned` | delivers only those messages of a group to a bot that mention it |
 * | `sent_at` | does not say when a message was written, so that messages are answered as they arrive |
 * | `redelivery` | never delivers a message twice |
 * | `rate_limit` | does not ask a bot to send less |
 * | `shared_direct` | has one person alone in a direct conversation, so that nobody else can approve there |
 */
export type Lack =
  | 'live'
  | 'buttons'
  | 'settle'
  | 'typing'
  | 'files_in'
  | 'files_out'
  | 'unmentioned'
  | 'sent_at'
  | 'redelivery'
  | 'rate_limit'
  | 'shared_direct'
