import type { ChannelFailureReason } from '#plugin-api'

/** The kind of a refusal. */
interface Classification {
  reason: ChannelFailureReason
  /** True if the text itself was refused. */
  is_about_text: boolean
}

/** Descriptions that refuse the text of a message: its length, its encoding, its marks, or that it is empty. */
const ABOUT_TEXT = [
  /(?:message|text|caption) is too long|MESSAGE_TOO_LONG|CAPTION_TOO_LONG|ENTITIES_TOO_LONG/i,
  /text is empty|text must be non-empty|message must be non-empty|MESSAGE_EMPTY/i,
  /can't parse (?:message|caption|entities|text)|can't find end|ENTITY_\w*INVALID|ENTITY_BOUNDS/i,
  /must be encoded in UTF-8|invalid UTF-8/i,
]

/** Descriptions that state another reason; the first match decides. */
const REASONS: [pattern: RegExp, reason: ChannelFailureReason][] = [
  // Telegram's own words for the signed-out token of a server that somebody else runs.
  [/logged out/i, 'invalid_credentials'],
  [/too many requests|FLOOD_WAIT|SLOWMODE_WAIT/i, 'rate_limited'],
  [
    /not enough rights|(?:have )?no (?:rights|write access)|need (?:to be )?administrator|ADMIN_REQUIRED/i,
    'forbidden',
  ],
  [
    /_FORBIDDEN|TOPIC_CLOSED|_RESTRICTED|CHANNEL_PRIVATE|USER_BANNED|PREMIUM_REQUIRED|PAYMENT_REQUIRED/i,
    'forbidden',
  ],
  [
    /bot was (?:kicked|blocked)|not a member|(?:user is|group chat was) deactivated|chat was deleted/i,
    'forbidden',
  ],
  [/USER_IS_BLOCKED|YOU_BLOCKED_USER|USER_DEACTIVATED|bot can't (?:initiate|send)/i, 'forbidden'],
  [/file is too big|FILE_PARTS_INVALID|FILE_TOO_(?:BIG|LARGE)|file must be non-empty/i, 'unsupported'],
  [
    /(?:PHOTO|IMAGE|MEDIA|DOCUMENT|VIDEO)_\w*(?:INVALID|EMPTY|FAILED|DIMENSIONS|FILE_MISSING)/i,
    'unsupported',
  ],
  [/inline keyboard|BUTTON_\w*INVALID|REPLY_MARKUP_\w+/i, 'unsupported'],
  [/can't be edited|EDIT_TIME_EXPIRED|MESSAGE_AUTHOR_REQUIRED/i, 'unsupported'],
  [/not\sfound|upgraded to a supergroup|wrong (?:file_id|file identifier)|query is too old/i, 'not_found'],
  [
    /TOPIC_DELETED|(?:PEER|CHAT|CHANNEL|USER|MESSAGE|MSG|TOPIC|QUERY)_(?:ID_)?INVALID|chat_id is empty/i,
    'not_found',
  ],
]

const STATUSES: Record<number, ChannelFailureReason> = {
  401: 'invalid_credentials',
  403: 'forbidden',
  // All called methods exist, so the bot does not.
  404: 'invalid_credentials',
  409: 'already_connected',
  413: 'unsupported',
  420: 'rate_limited',
  429: 'rate_limited',
}

/** Classifies a refusal by its code and Telegram's description. One that nothing is known of is `unknown`. */
export function classifyRefusal(error_code: number, description: string): Classification {
  const byCode = STATUSES[error_code] ?? (error_code >= 500 ? 'unreachable' : undefined)
  if (byCode) return { reason: byCode, is_about_text: false }
  if (ABOUT_TEXT.some((pattern) => pattern.test(description)))
    return { reason: 'unsupported', is_about_text: true }
  const reason = REASONS.find(([pattern]) => pattern.test(description))?.[1] ?? 'unknown'
  return { reason, is_about_text: false }
}

/** Returns the pause that Telegram asks for, in milliseconds: from a field, otherwise from the description. */
export function readPause(retry_after: unknown, description: string): number | undefined {
  const stated = /retry after (\d+)|_WAIT_(\d+)/i.exec(description)
  const seconds = Number(retry_after) || Number(stated?.[1] ?? stated?.[2])
  return seconds > 0 ? seconds * 1000 : undefined
}
