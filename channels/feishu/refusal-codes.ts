import { type ChannelFailureReason, indexReasons } from '#plugin-api'

/** The reasons of the platform's codes; all others are `unknown`. */
const REASONS = indexReasons({
  // Bad app_id, bad secret, both; the same from the connection; tokens that are refused although they are new.
  invalid_credentials: [
    10003, 10014, 99991543, 514, 99991661, 99991663, 99991664, 99991668, 99991671, 99991677,
  ],
  forbidden: [
    403,
    // App disabled or not installed, scope missing, address of the server not allowed, monthly quota used up.
    ...[99991662, 99991673, 99991672, 99991676, 99991679, 99991401, 99991403],
    // Bot not in the chat, off, unavailable to the person; not its message; not allowed in the group; stopped by the
    // person; chat encrypted or of another tenant; keys of the tenant deleted; message hidden or about to vanish.
    ...[
      230002, 230006, 230013, 230015, 230017, 230018, 230027, 230035, 230053, 230075, 230038, 230036, 230050,
    ],
    230111,
    // Sensitive words, personal data.
    ...[230022, 230028],
    // Files of others, of restricted or hidden messages, of apps without a bot.
    ...[234002, 234004, 234007, 234008, 234038, 234040, 234041],
    // Card of another app, template that the app may not use.
    ...[300311, 200381],
  ],
  // Of the app, of the bot, of the system, of the chat; a message that is being sent; a card that is being pressed.
  rate_limited: [99991400, 230020, 11232, 11233, 11247, 230049, 200810],
  not_found: [
    // Message withdrawn, deleted, unknown, too old to change; topic, chat, receiver or person gone.
    ...[230011, 230110, 231003, 230031, 230019, 230045, 230034, 230029, 232009],
    // File not in the message; card gone, card too old, template unknown.
    ...[234003, 200740, 200750, 200380],
  ],
  unsupported: [
    // Message or card too long, card that cannot be shown, element unknown or of another kind.
    ...[230025, 200860, 230099, 200220, 200621, 300302, 300305, 300307, 300310, 300313],
    // Type of message or file, replies in threads.
    ...[230054, 230055, 230071, 230072],
    // File too large, empty, unknown, with too many points, or of a message whose files cannot be read.
    ...[234006, 234010, 234011, 234037, 234039, 234043],
  ],
  already_connected: [1000040350],
  // The connection's "busy" and "internal error"; internal errors of the API and of cards.
  unreachable: [1, 1000040343, 1500, 1663, 2200, 300120],
})

/** Returns the reason that a code means. */
export const toReason = (code: number): ChannelFailureReason => REASONS.get(code) ?? 'unknown'

/** Codes for a text that makes no valid card: too many tables or elements, an unknown image, broken marks, nothing. */
export const MARKUP_REFUSALS: ReadonlySet<number> = new Set([230099, 200220, 200621, 300305, 300307])

/** Codes for a text that is too long, or has sensitive words or personal data in it. */
const TEXT_REFUSALS: ReadonlySet<number> = new Set([230025, 200860, 230022, 230028])

const INVALID_PARAMETER = 230001

/** True if a refusal is about the text of a message; of an invalid parameter only the detail tells. */
export const isAboutText = (code: number, detail: string): boolean =>
  MARKUP_REFUSALS.has(code) ||
  TEXT_REFUSALS.has(code) ||
  (code === INVALID_PARAMETER && /\b(content|text|card)\b/i.test(detail))

/** Codes for a missing, expired or invalid token: a new token may help. */
export const TOKEN_REFUSALS: ReadonlySet<number> = new Set([
  99991661, 99991663, 99991664, 99991668, 99991671, 99991677,
])

/** Codes for a message that is gone. */
export const MESSAGE_GONE: ReadonlySet<number> = new Set([230011, 230110, 231003])

/** Codes for a message that cannot be replied to: in a topic that is gone, hidden, of such a type, or vanishing. */
const NO_REPLY: ReadonlySet<number> = new Set([...MESSAGE_GONE, 230019, 230050, 230054, 230111])

/** True if a refusal is about the message that is replied to; of an invalid parameter only the detail tells. */
export const isAboutReply = (code: number, detail: string): boolean =>
  NO_REPLY.has(code) || (code === INVALID_PARAMETER && /\bmessage_?id\b/i.test(detail))

/** Codes for a chat without threads, and for a message that cannot have one. */
export const NO_THREAD: ReadonlySet<number> = new Set([230071, 230072])
