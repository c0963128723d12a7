import { createHash } from 'node:crypto'
import { readCode } from './failure.ts'

const MARKDOWN_LINK = /!?\[([^\]\n]*)\]\(\s*<?([^()\s<>]+)>?(?:\s+"[^"\n]*")?\s*\)/g
const SCHEME = /\b(?:https?|ftp):\/\//gi
const HOST = /\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,24}\b/gi

/** Rewrites addresses so that people can read them, but QQ does not detect links. */
export function defuseLinks(text: string): string {
  const unfolded = text.replace(MARKDOWN_LINK, (_, words: string, address: string) =>
    words && words !== address ? `${words} (${address})` : address,
  )
  return defuseWords(unfolded)
}

/** Does the same without unfolding Markdown links, for a text that is only partly known. */
export const defuseWords = (text: string): string =>
  text.replace(SCHEME, '').replace(HOST, (host) => host.replaceAll('.', '[.]'))

/** The features of a message. QQ may refuse each; a refused one is dropped and the message sent again. */
export interface Form {
  /** True for an answer to a message; false for a message of the bot's own. */
  passive: boolean
  markdown: boolean
  links: boolean
  keyboard: boolean
}

/** Codes that refuse a feature. */
const REFUSED: Record<keyof Form, readonly number[]> = {
  passive: [304026, 304027, 304028, 304103, 40034005, 40034024, 40034025, 40034026, 40034027, 40034128],
  markdown: [
    304036, 50037, 50041, 50054, 50055, 50056, 50057, 40034008, 40034009, 40034010, 40034011, 40034012,
    40034124, 40034127,
  ],
  links: [304003, 40034028, 40054010],
  keyboard: [304037, 304038, 304039, 304040, 304062, 305007, 40034029],
}

/** The code for an answer that QQ has received already. */
const REPEATED = 40054005

/** Returns the form without the refused feature; undefined if the error refuses none. */
export function simplify(form: Form, error: unknown): Form | undefined {
  const code = readCode(error)
  const part = (Object.keys(REFUSED) as (keyof Form)[]).find(
    (one) => form[one] && REFUSED[one].includes(code),
  )
  return part && { ...form, [part]: false }
}

/** True if QQ refuses an answer because it has arrived already. */
export const hasArrived = (form: Form, error: unknown): boolean =>
  form.passive && readCode(error) === REPEATED

/**
 * Returns the number of an answer; QQ drops a second answer to a message with the same number. It is the first 31 bits
 * of the SHA-256 of the key, so that a repeated message has the same number. Each reduced form has its own number,
 * because a refused message may have used up its number.
 */
export function createNumber(key: string, form: Form): number {
  const givenUp = (['markdown', 'links', 'keyboard'] as const).filter((part) => !form[part])
  const digest = createHash('sha256')
    .update([key, ...givenUp].join(' '))
    .digest()
  return digest.readUInt32BE(0) >>> 1 || 1
}
