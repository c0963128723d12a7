import { indexMeanings } from '#toolbox'

/** Meanings of Discord's error codes; the sentence is shown to people. */
const MEANINGS = indexMeanings([
  ['not_found', 'The Discord channel no longer exists', [10003, 10004]],
  ['not_found', 'The Discord message no longer exists', [10008]],
  ['not_found', 'The person is no longer on Discord', [10013, 50033]],
  ['not_found', 'The pressed button has expired or was answered already', [10015, 10062, 40060, 50027]],
  ['invalid_credentials', 'Discord does not accept the bot token: copy it again', [40001, 50014]],
  ['forbidden', 'The bot may not see this Discord channel', [50001]],
  ['forbidden', 'This person does not accept direct messages from the bot', [50007, 50278]],
  ['forbidden', 'The bot lacks a permission in this Discord channel', [50009, 50013, 160002, 160009]],
  ['forbidden', 'The bot was banned from this Discord server', [40007]],
  ['forbidden', 'The Discord thread is archived or locked', [50083, 160005, 160006]],
  ['forbidden', 'The bot may not change this Discord message', [30046, 50005, 50021]],
  ['unsupported', 'The rules of the Discord server (AutoMod) block this message', [200000, 200001]],
  ['unsupported', 'Discord blocks this message because of its content', [20009, 240000]],
  ['forbidden', 'Discord has limited the bot or the server', [40002, 40012, 340015, 400001]],
  ['unsupported', 'Messages cannot be written in this kind of Discord channel', [40058, 50003, 50008, 50024]],
  ['unsupported', 'The file is larger than Discord allows', [40005, 50045]],
  ['unsupported', 'Discord does not accept the file', [30015, 50046, 50110, 50123, 50146]],
  ['rate_limited', 'Discord limits the rate of requests', [20016, 20022, 20028, 20029, 40003, 40062]],
  ['unreachable', 'Discord is overloaded or has switched this off for now', [40004, 40006, 110000, 130000]],
])

/** Returns the meaning of an error code that is more precise than the HTTP status. */
export const meaningOf = (code: number) => MEANINGS.get(code)

/** The code of a refusal to act on an archived thread. */
export const ARCHIVED_THREAD = 50083

const INVALID_FORM = 50035

/** An empty message, and a body that is not valid JSON, as one with half a character. */
const TEXT_CODES: ReadonlySet<number> = new Set([50006, 50109])

/** True if Discord refused the text of a message: it is too long, empty or malformed. */
export const isAboutText = (code: number, errors: unknown): boolean =>
  TEXT_CODES.has(code) || (code === INVALID_FORM && hasField(errors, 'content'))

/** True if an error of this field is in the tree of errors, which has the form of the refused body. */
function hasField(errors: unknown, name: string): boolean {
  if (typeof errors !== 'object' || errors === null) return false
  return Object.entries(errors).some(([key, value]) => key === name || hasField(value, name))
}
