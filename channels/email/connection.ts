import type { Readable } from 'node:stream'
import type { ImapFlow } from 'imapflow'
import {
  type ChannelConnection,
  ChannelFailure,
  type ChannelLink,
  type ChannelSettings,
  type InboundContent,
  type JSONValue,
} from '#plugin-api'
import type { EmailConfig } from './config.ts'
import type { MailPosition } from './content.ts'
import { toMailFailure } from './failure.ts'
import { closeFolder, type ImapTiming, openFolder } from './imap.ts'
import type { MailTarget } from './inbound.ts'
import { watchMailbox } from './mailbox.ts'
import type { MailboxMemory } from './memory.ts'
import { createMailer } from './smtp.ts'

/** Opens a channel: signs in at both servers and watches the folder. */
export async function openConnection(
  settings: ChannelSettings<EmailConfig>,
  link: ChannelLink,
  { timing, memory }: { timing: ImapTiming; memory: MailboxMemory },
): Promise<ChannelConnection> {
  const closing = new AbortController()
  const signal = AbortSignal.any([link.signal, closing.signal])
  const mailer = createMailer(settings, timing.tls)
  await mailer.verify(signal)
  const client = await openFolder(settings, timing, signal)
  const mailbox = watchMailbox({
    client,
    config: settings.config,
    link,
    memory,
    signal,
  })
  client.on('exists', mailbox.notice)
  client.on('close', () => {
    mailbox.wake()
    if (!signal.aborted)
      link.lost(new ChannelFailure('unreachable', 'The IMAP server closed the connection.'))
  })
  await mailbox.begin()
  const watched = mailbox.run()
  const until = (call: AbortSignal) => AbortSignal.any([signal, call])

  return {
    async send(target, message, call) {
      await sending(mailer.send(target as unknown as MailTarget, message, until(call)))
      return null
    },
    sendFile: (target, file, call) =>
      sending(mailer.sendFile(target as unknown as MailTarget, file, until(call))),
    download: (reference, call) => downloadPart(client, reference, until(call)),
    async close() {
      closing.abort()
      mailbox.wake()
      await closeFolder(client)
      await watched
    },
  }

  /** Closes the channel if the password is refused: each further attempt would bring the account nearer to a lock. */
  async function sending(sent: Promise<void>): Promise<void> {
    try {
      await sent
    } catch (error) {
      if (error instanceof ChannelFailure && error.reason === 'invalid_credentials') link.lost(error)
      throw error
    }
  }
}

/** Signs in at both servers without changing anything. Throws a `ChannelFailure`. */
export async function probe(
  settings: ChannelSettings<EmailConfig>,
  timing: ImapTiming,
  signal: AbortSignal,
): Promise<void> {
  await createMailer(settings, timing.tls).verify(signal)
  await closeFolder(await openFolder(settings, timing, signal, { readOnly: true }))
}

/** Gets a part of a mail, decoded. */
async function downloadPart(
  client: ImapFlow,
  reference: JSONValue,
  signal: AbortSignal,
): Promise<InboundContent> {
  const { validity, uid, part } = reference as unknown as MailPosition & { part: string }
  const createGoneFailure = () =>
    new ChannelFailure('not_found', 'The mail with the file is no longer in the folder.')
  if (!client.mailbox || String(client.mailbox.uidValidity) !== validity) throw createGoneFailure()
  try {
    const download = await client.download(String(uid), part, { uid: true })
    if (!('content' in download) || !download.content) throw createGoneFailure()
    return { bytes: readChunks(download.content, signal) }
  } catch (error) {
    throw toMailFailure('IMAP', error, signal)
  }
}

async function* readChunks(content: Readable, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const end = () => content.destroy(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  try {
    yield* content
  } catch (error) {
    throw toMailFailure('IMAP', error, signal)
  } finally {
    signal.removeEventListener('abort', end)
    content.destroy()
  }
}
