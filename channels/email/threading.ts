import { createHash } from 'node:crypto'

/** The ids that place a mail in its thread; each with its angle brackets. */
export interface ThreadIds {
  message_id: string
  in_reply_to: readonly string[]
  references: readonly string[]
}

/** The most ids that an answer refers to. */
const MAX_REFERENCES = 20
/** The longest id that is considered, in characters; RFC 5322 allows lines of 998. */
const MAX_ID_CHARS = 900

/** Returns the ids in a header, in their order. */
export const readIds = (value = ''): string[] =>
  (value.match(/<[^<>\s]+>/g) ?? []).filter((id) => id.length <= MAX_ID_CHARS)

/** A conversation's part of the ids of the agent's mails. Some mail programs change the case of an id. */
const CONVERSATION = /^<[0-9a-z]{1,64}\.([0-9a-f]{32})\.agent@/i

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** Returns the id of a mail to a conversation; a mail that is sent again with the same key has the same. */
export const createMessageId = (key: string, conversation: string, address: string): string =>
  `<${key.toLowerCase()}.${conversation}.agent@${address.split('@').at(-1)}>`

/** Returns the conversation of a mail that answers one of the agent; undefined for another mail. */
function findOwn({ in_reply_to, references }: ThreadIds): string | undefined {
  for (const id of [...in_reply_to, ...references.toReversed()]) {
    const conversation = CONVERSATION.exec(id)?.[1]
    if (conversation) return conversation.toLowerCase()
  }
  return undefined
}

/**
 * Returns the conversation of a mail: that of the agent's mail which it answers, otherwise that of the first mail of its
 * thread. `answers_agent` is true if the person has seen a mail of the agent in it.
 */
export function findConversation(ids: ThreadIds): { id: string; answers_agent: boolean } {
  const conversation = findOwn(ids)
  if (conversation) return { id: conversation, answers_agent: true }
  const root = ids.references[0] ?? ids.in_reply_to[0] ?? ids.message_id
  return { id: digest(root), answers_agent: false }
}

/** Returns the ids that an answer refers to: the first one of the thread and the last ones. */
export function listReferences({ message_id, in_reply_to, references }: ThreadIds): string[] {
  const earlier = references.length > 0 ? references : in_reply_to
  const all = [...new Set([...earlier, message_id])]
  return all.length > MAX_REFERENCES ? [all[0]!, ...all.slice(1 - MAX_REFERENCES)] : all
}

const REPLY = /^\s*(?:re|aw|antw|sv|回复|答复|回覆)\s*[:：]/i
const FORWARD = /^\s*(?:fwd?|wg|tr|转发|轉寄)\s*[:：]/i

/** True if a subject says that the mail passes on another one. */
export const isForwardSubject = (subject: string): boolean => FORWARD.test(subject)

/** Returns the subject of an answer. */
export const toReplySubject = (subject: string): string => {
  if (subject.trim() === '') return 'Re:'
  return REPLY.test(subject) ? subject : `Re: ${subject}`
}

/** True if a subject begins a thread, so that it says what the mail is about. */
export const isOwnSubject = (subject: string): boolean => subject.trim() !== '' && !REPLY.test(subject)
