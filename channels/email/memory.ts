import { createSenderLimit, type SenderLimit } from './sender-limit.ts'

/** The times that a mail is read before it is passed over. */
const MAX_ATTEMPTS = 3

/** The state of a channel that outlives its connections, but not the process. */
export interface MailboxMemory {
  limit: SenderLimit
  /** Notes that a mail could not be read; `is_hopeless` if it never can, as its structure exceeds the limits. */
  noteFailure(mail: string, is_hopeless: boolean): void
  /** True if a mail must be passed over, as it would keep later ones waiting. */
  isHopeless(mail: string): boolean
}

/** Creates the memory of a channel. */
export function createMailboxMemory(): MailboxMemory {
  /** Only the mail that comes next can fail. */
  let failed = { mail: '', attempts: 0 }
  return {
    limit: createSenderLimit(),
    noteFailure(mail, is_hopeless) {
      const attempts = (failed.mail === mail ? failed.attempts : 0) + (is_hopeless ? MAX_ATTEMPTS : 1)
      failed = { mail, attempts }
    },
    isHopeless: (mail) => failed.mail === mail && failed.attempts >= MAX_ATTEMPTS,
  }
}
