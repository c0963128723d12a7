import { buffer } from 'node:stream/consumers'
import type { FetchMessageObject, ImapFlow } from 'imapflow'
import type { InboundMessage, Logger, QuotedMessage } from '#plugin-api'
import { findObjection, isOwnAddress } from './acceptance.ts'
import { type EmailConfig, isAllowedSender } from './config.ts'
import { listParts, type MailParts, type MailPosition, type TextPart } from './content.ts'
import { MAX_HEADER_BYTES, type MailHeaders, type Person, readHeaders } from './headers.ts'
import { readHtmlText } from './html-text.ts'
import { splitText } from './quoting.ts'
import {
  findConversation,
  isForwardSubject,
  isOwnSubject,
  listReferences,
  toReplySubject,
} from './threading.ts'

/** All that is needed to answer a mail. */
export interface MailTarget {
  conversation: string
  to: string
  /** The other recipients who are allowed senders. */
  cc: string[]
  subject: string
  in_reply_to: string
  references: string[]
}

/** A mail that is answered, or the reason why it is not. */
export type ReadMail = { message: InboundMessage } | { objection: string; sender: string }

/** The largest text of a part that is read, in bytes. */
const MAX_TEXT_BYTES = 512 * 1024
/** The most people who receive an answer. */
const MAX_RECIPIENTS = 50

/** Reads a mail of the open folder; undefined if it is no longer there. Throws errors of the connection. */
export async function readMail(
  client: ImapFlow,
  position: MailPosition,
  config: EmailConfig,
  log: Logger,
): Promise<ReadMail | undefined> {
  const query = {
    uid: true,
    internalDate: true,
    bodyStructure: true,
    bodyParts: [{ key: 'header', start: 0, maxLength: MAX_HEADER_BYTES }],
  }
  const mail = await client.fetchOne(String(position.uid), query, { uid: true })
  if (!mail) return undefined
  const source = mail.headers ?? Buffer.alloc(0)
  const headers = await readHeaders(source, `${position.validity}.${position.uid}@${config.address}`)
  const objection = findObjection(headers, config)
  if (objection) return { objection, sender: headers.from[0]?.address ?? '' }
  const parts = mail.bodyStructure
    ? listParts(mail.bodyStructure, position)
    : { texts: [], files: [], is_encrypted: false }
  const text = await readTexts(client, position.uid, parts.texts, log)
  return { message: toMessage({ mail, headers, parts, text, config }) }
}

/** Reads the texts of a mail; of the forms of each the first one with words. */
async function readTexts(client: ImapFlow, uid: number, texts: TextPart[][], log: Logger): Promise<string> {
  const words: string[] = []
  for (const forms of texts)
    for (const form of forms) {
      const text = await readText(client, uid, form, log)
      if (text.trim() === '') continue
      words.push(text)
      break
    }
  return words.join('\n\n')
}

async function readText(
  client: ImapFlow,
  uid: number,
  { part, is_html }: TextPart,
  log: Logger,
): Promise<string> {
  const download = await client.download(String(uid), part, { uid: true, maxBytes: MAX_TEXT_BYTES })
  if (!('content' in download) || !download.content) return ''
  const source = (await buffer(download.content)).toString().toWellFormed()
  if (!is_html) return source
  try {
    return readHtmlText(source)
  } catch (error) {
    // The parser is not ours; a mail that it cannot read must not stop the mails behind it.
    log.warn({ error }, 'the HTML of a mail could not be read')
    return ''
  }
}

function toMessage({
  mail,
  headers,
  parts: { files, is_encrypted },
  text,
  config,
}: {
  mail: FetchMessageObject
  headers: MailHeaders
  parts: MailParts
  text: string
  config: EmailConfig
}): InboundMessage {
  const { subject, message_id } = headers
  const sender = headers.from[0]!
  const { id, answers_agent } = findConversation(headers)
  const { isMentioned, others } = findOthers(headers, config)
  const split = splitText(text)
  const words = withSubject(split.text, headers, answers_agent)
  const quote = answers_agent && !isForwardSubject(subject) ? undefined : toQuote(split, subject)
  const sent_at = mail.internalDate ? new Date(mail.internalDate).getTime() : Number.NaN
  const target: MailTarget = {
    conversation: id,
    to: sender.address,
    cc: others
      .filter(({ address }) => isAllowedSender(address, config.allowed_senders))
      .map(({ address }) => address),
    subject: toReplySubject(subject),
    in_reply_to: message_id,
    references: listReferences(headers),
  }
  const isUnreadable = is_encrypted && words === '' && quote === undefined
  return {
    id: message_id,
    conversation: { id, type: others.length > 0 ? 'group' : 'direct' },
    sender: { id: sender.address, ...(sender.name !== '' && { name: sender.name }) },
    text: words,
    mentioned: isMentioned,
    ...(Number.isFinite(sent_at) && { sent_at }),
    ...(quote && { quote }),
    files: isUnreadable ? [] : files,
    ...(isUnreadable && { unreadable: 'encrypted mail' }),
    target: { ...target },
  }
}

/** Returns the other people who received a mail, and if it is addressed to the agent rather than copied to it. */
function findOthers({ from, to, cc, delivered_to }: MailHeaders, { address }: EmailConfig) {
  const isOwn = (person: Person) =>
    isOwnAddress(person.address, address) || delivered_to.includes(person.address)
  const others = [...to, ...cc].filter((person) => !isOwn(person) && person.address !== from[0]!.address)
  const isCopied = !to.some(isOwn) && cc.some(isOwn)
  const unique = [...new Map(others.map((person) => [person.address, person])).values()]
  return { isMentioned: !isCopied || unique.length === 0, others: unique.slice(0, MAX_RECIPIENTS) }
}

/** Puts the subject before the words of a mail that begins a thread, unless it begins with a command. */
function withSubject(
  words: string,
  { subject, references, in_reply_to }: MailHeaders,
  answers_agent: boolean,
): string {
  const begins = !answers_agent && references.length === 0 && in_reply_to.length === 0
  if (!begins || !isOwnSubject(subject) || words.startsWith('/') || isForwardSubject(subject)) return words
  return words === '' ? subject : `${subject}\n\n${words}`
}

/** Returns what a mail quotes, with the name of its author if the quoted headers state it. */
function toQuote(
  { quote, is_forwarded }: ReturnType<typeof splitText>,
  subject: string,
): QuotedMessage | undefined {
  if (quote === undefined) return undefined
  const sender = /^\s*\*?(?:from|von|发件人|寄件者)\s*\*?\s*[:：]\s*\*?\s*(.{1,200}?)\s*$/im.exec(
    quote.slice(0, 2000),
  )?.[1]
  return {
    text: quote,
    ...(sender && { sender }),
    ...((is_forwarded || isForwardSubject(subject)) && { is_forwarded: true }),
  }
}
