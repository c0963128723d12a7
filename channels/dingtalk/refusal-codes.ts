import { type ChannelFailureReason, indexReasons } from '#plugin-api'

/** Pause after the limit of calls per second. */
const CALL_LIMIT_MS = 1000
/** Pause after the limit of messages per minute; an earlier retry would prolong the limit. */
export const MESSAGE_LIMIT_MS = 10_000

/** Codes of limits of the calls per second. */
const CALL_LIMITS = new Set(['90018', '90019'])

/** Codes of limits of the messages per minute, and of calls that are blocked for a while. */
const MESSAGE_LIMITS = new Set([
  ...['130101', '410100', '90002', '90003', '90004', '90005', '90006'],
  ...['send.too.fast', 'send.byToken.tooFast', 'too.many.group', 'too.many.people'],
])

/** Returns the pause that a code asks for, in milliseconds; undefined if it means no limit. */
export function findPause(code: string): number | undefined {
  if (CALL_LIMITS.has(code) || /\.Qps|Throttl/i.test(code)) return CALL_LIMIT_MS
  return MESSAGE_LIMITS.has(code) || /too\.?fast|flow\.?control/i.test(code) ? MESSAGE_LIMIT_MS : undefined
}

/** The reasons of the codes of both APIs and of reply webhooks. */
const REASONS = indexReasons({
  invalid_credentials: ['invalidClientIdOrSecret', 'authFailed', '40089'],
  forbidden: [
    // The robot may not write there, is stopped, or belongs to another app.
    ...['send.forbidden', 'chatbotId.notAllow.sendOTO', 'resource.unavailable', 'bot.stopped', '400102'],
    ...['34007'],
    ...['invalidParameter.robotCode.auth', 'invalidParameter.robotCode.coolApp', 'ip.not.match', '60011'],
    ...['template.stopped', 'param.templateUnpublished'],
    // Links, words, pictures or other content that are not allowed.
    ...['430101', '430102', '430103', '430104', 'param.contentUnsafe'],
  ],
  not_found: [
    // Robot, conversation, person, file, template or card.
    ...['invalidParameter.robotCode.notExsit', 'robot.oto.notExist', 'resource.not.found', '400101'],
    ...['400106'],
    ...['invalid.openConversationId', 'openConversationId.notExisted', '400013', '34001', '34013'],
    ...['staffId.notExisted', 'invalidParameter.userIds', 'illegal.receivers', 'param.userIdNotExist'],
    ...['33012'],
    ...['invalidParameter.downloadCode', 'template.not.existed', 'param.templateNotExist'],
    ...['param.cardNotExist'],
  ],
  unsupported: [
    ...['invalidParameter.msgParam.invalid', 'invalidParameter.msgParam.tooLong'],
    ...['invalidParameter.msgParam.empty'],
    ...['invalidParameter.msgBody.invalid', '460101', '34014', '34016'],
    ...['invalidParameter.msg.unsupport', 'invalidParameter.msgKey.invalid', 'invalidParameter.msgKey.empty'],
    // Types and sizes of messages and files.
    ...['400105', '40004', '40005', '40006', '40009', '40010', '40011'],
  ],
  // "The system is busy."
  unreachable: ['-1'],
})

/** Returns the reason that a code means; undefined if only the status of the answer tells. */
export function findReason(code: string): ChannelFailureReason | undefined {
  // Parameters of cards, and of messages without their text or title.
  return REASONS.get(code) ?? (/^(param|miss\.param)\./.test(code) ? 'unsupported' : undefined)
}

/** Codes of a message with a text that is too long, missing, malformed or not allowed. */
const TEXT_REFUSALS = new Set([
  ...['invalidParameter.msgParam.invalid', 'invalidParameter.msgParam.tooLong'],
  ...['invalidParameter.msgParam.empty'],
  ...['invalidParameter.msgBody.invalid', '460101', '34014', '34016'],
  ...['430101', '430102', '430104', 'param.contentUnsafe'],
])

/** True if a code is about the text of a message. */
export const isAboutText = (code: string): boolean =>
  TEXT_REFUSALS.has(code) || /^miss\.param\.|sensitive/i.test(code)

/** Codes for a message whose marks the API cannot parse; it is sent again without marks. */
export const MARKUP_REFUSALS: ReadonlySet<string> = new Set([
  'invalidParameter.msgParam.invalid',
  'invalidParameter.msgBody.invalid',
])

/** The code for a card that exists already, e.g. because the answer to an earlier call was lost. */
export const CARD_EXISTS = 'param.cardAlreadyExist'

/** Codes for an unusable template; the last code means that the template lacks a variable. */
export const TEMPLATE_REFUSALS: ReadonlySet<string> = new Set([
  'param.templateNotExist',
  'param.templateUnpublished',
  'param.cardTemplateIdEmpty',
  'unknownError',
])
