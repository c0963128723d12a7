import { setTimeout as pause } from 'node:timers/promises'
import type { ImapFlow } from 'imapflow'
import type { ChannelLink, InboundMessage, JSONValue } from '#plugin-api'
import type { EmailConfig } from './config.ts'
import { isTooLarge, toMailFailure } from './failure.ts'
import { readMail } from './inbound.ts'
import type { MailboxMemory } from './memory.ts'

/** The position of a channel in its folder. */
interface Position {
  /** The folder's UIDVALIDITY; another one means that all numbers are new. */
  validity: string
  /** The number of the last mail that was dealt with. */
  uid: number
  /** Unix milliseconds at which the last mail was dealt with. */
  at: number
  /** Unix milliseconds at which the channel was opened first; mails before it are never answered. */
  since: number
}

const DAY_MS = 24 * 3_600_000

/** Servers note the time of a mail in whole seconds. */
const toSeconds = (milliseconds: number) => Math.floor(milliseconds / 1000) * 1000

/** The first and the longest pause after a message could not be stored, in milliseconds. */
const FIRST_PAUSE_MS = 1000
const LAST_PAUSE_MS = 60_000

/** Creates the watch of the open folder of a client. */
export function watchMailbox({
  client,
  config,
  link,
  memory,
  signal,
}: {
  client: ImapFlow
  config: EmailConfig
  link: ChannelLink
  memory: MailboxMemory
  signal: AbortSignal
}) {
  let isDirty = true
  let wake = () => {}
  const notice = () => {
    isDirty = true
    wake()
  }
  let connectionError: unknown
  client.on('error', (error: unknown) => {
    connectionError = error
  })
  const readPosition = () => link.cursor.get() as Position | undefined

  /** Lists the numbers of new mails in their order, and the number of the last mail of the folder if all are new. */
  async function listNew(
    position: Position,
    { validity, next }: { validity: string; next: number },
  ): Promise<{ uids: number[]; last?: number }> {
    if (position.validity === validity) {
      const numbers = await client.search({ uid: `${position.uid + 1}:*` }, { uid: true })
      // A range that begins behind the last mail contains the last mail.
      return { uids: (numbers || []).filter((uid) => uid > position.uid).sort((a, b) => a - b) }
    }
    // The folder has numbered its mails anew. Recent ones are read again; their ids show which were answered.
    const since = Math.max(position.since, toSeconds(position.at - DAY_MS))
    link.log.warn('the mail server has numbered its mails anew; recent ones are compared')
    const numbers = (await client.search({ since: new Date(since - DAY_MS) }, { uid: true })) || []
    const recent: number[] = []
    for (const uid of numbers.sort((a, b) => a - b)) {
      const mail = await client.fetchOne(String(uid), { uid: true, internalDate: true }, { uid: true })
      const date = mail ? mail.internalDate : undefined
      if (date && new Date(date).getTime() >= since) recent.push(uid)
    }
    return { uids: recent, last: Math.max(next - 1, ...recent) }
  }

  /** Deals with one mail: stores it with the position behind it, or ignores it. */
  async function handle(uid: number, position: Position): Promise<void> {
    const mailPosition = { validity: position.validity, uid }
    const stored = { ...position } as unknown as JSONValue
    const name = `${position.validity}.${uid}`
    if (memory.isHopeless(name)) {
      link.log.warn({ uid }, 'a mail cannot be read, and is passed over')
      return link.cursor.set(stored)
    }
    const mail = await readMail(client, mailPosition, config, link.log).catch((error) => {
      const isHopeless = isTooLarge(error) || isTooLarge(connectionError)
      // A connection that is lost says nothing about the mail.
      if (isHopeless || client.usable) memory.noteFailure(name, isHopeless)
      throw error
    })
    if (!mail) return link.cursor.set(stored)
    const objection = 'objection' in mail ? mail.objection : findLimit(mail.message, position)
    if ('objection' in mail || objection) {
      const sender = 'objection' in mail ? mail.sender : mail.message.sender.id
      link.log.info({ sender, uid }, `mail ignored: ${objection}`)
      return link.cursor.set(stored)
    }
    await link.receive(mail.message, stored)
    await client
      .messageFlagsAdd(String(uid), ['\\Seen'], { uid: true })
      .catch((error) => link.log.debug({ error }, 'a mail could not be marked as read'))
  }

  /** The reason why a mail of an allowed person is not answered. */
  const findLimit = ({ sender, sent_at = Date.now() }: InboundMessage, { since }: Position) =>
    sent_at < since ? 'it is older than the channel' : memory.limit.count(sender.id)

  async function catchUp(): Promise<void> {
    const { mailbox } = client
    const position = readPosition()
    if (!mailbox || !position) return
    const validity = String(mailbox.uidValidity)
    const { since } = position
    const { uids, last } = await listNew(position, { validity, next: mailbox.uidNext })
    for (const uid of uids) {
      signal.throwIfAborted()
      await handle(uid, { validity, uid, at: Date.now(), since })
    }
    if (last !== undefined) await link.cursor.set({ validity, uid: last, at: Date.now(), since })
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!signal.aborted && client.usable) {
      if (!isDirty) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      isDirty = false
      try {
        await catchUp()
        failures = 0
      } catch (error) {
        if (signal.aborted || !client.usable) break
        isDirty = true
        failures += 1
        link.log.warn(
          { error: toMailFailure('IMAP', error, signal) },
          'a mail could not be received, and is tried again',
        )
        const time = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1))
        // Rejects only when aborted, which ends the loop.
        await pause(time, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  return {
    /** Looks for new mails. */
    notice,
    /** Watches until the signal is aborted or the connection is lost; never rejects. */
    run,
    /** Stores the first position of a channel: mails that are in the folder already are not answered. */
    async begin(): Promise<void> {
      const { mailbox } = client
      if (!mailbox || readPosition()) return
      const [validity, now] = [String(mailbox.uidValidity), Date.now()]
      const first: Position = {
        validity,
        uid: Math.max(0, mailbox.uidNext - 1),
        at: now,
        since: toSeconds(now),
      }
      await link.cursor.set({ ...first })
    },
    /** Ends a wait for new mails. */
    wake: () => wake(),
  }
}
