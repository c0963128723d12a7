import { createHash } from 'node:crypto'
import { codeOf } from './failure.ts'

/** How a message is put; each of these QQ may refuse, and each is given up once. */
export interface Form {
  /** As an answer to a message, not as one of the bot's own. */
  passive: boolean
  markdown: boolean
  links: boolean
  keyboard: boolean
}

/** Codes that say which of these is refused. */
const REFUSED: Record<keyof Form, readonly number[]> = {
  passive: [304026, 304027, 304028, 304103, 40034005, 40034024, 40034025, 40034026, 40034027, 40034128],
  markdown: [
    304036, 50037, 50041, 50054, 50055, 50056, 50057, 40034008, 40034009, 40034010, 40034011, 40034012,
    40034124, 40034127,
  ],
  links: [304003, 40034028, 40054010],
  keyboard: [304037, 304038, 304039, 304040, 305007, 40034029],
}

/** QQ has had this answer to this message before. */
const REPEATED = 40054005

/** The form without what was refused; undefined where the error is about something else. */
export function plainer(form: Form, error: unknown): Form | undefined {
  const code = codeOf(error)
  const part = (Object.keys(REFUSED) as (keyof Form)[]).find(
    (one) => form[one] && REFUSED[one].includes(code),
  )
  return part && { ...form, [part]: false }
}

/** Whether QQ refuses an answer because it has arrived already. */
export const hasArrived = (form: Form, error: unknown): boolean => form.passive && codeOf(error) === REPEATED

/**
 * The number of an answer: QQ drops a second one of the same number to the same message. It is the first 31 bits of the
 * SHA-256 of the key, so the same message sent again has the same, and others have others. A form with something given
 * up has a number of its own, because nobody knows whether a refused message uses up its number.
 */
export function numberFor(key: string, form: Form): number {
  const givenUp = (['markdown', 'links', 'keyboard'] as const).filter((part) => !form[part])
  const digest = createHash('sha256')
    .update([key, ...givenUp].join(' '))
    .digest()
  return digest.readUInt32BE(0) >>> 1 || 1
}
