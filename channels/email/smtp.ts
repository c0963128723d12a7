import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { SendMailOptions } from 'nodemailer'
import { type ChannelSettings, type OutboundFile, withDeadline } from '#plugin-api'
import { toHtml } from './composing.ts'
import { type EmailConfig, readServer, readUsername, type TlsSettings } from './config.ts'
import { toMailFailure } from './failure.ts'
import type { MailTarget } from './inbound.ts'
import { createMessageId } from './threading.ts'

/** Time limits of a connection and of a whole call, in milliseconds. */
const CONNECT_MS = 20_000
const CALL_MS = 90_000

/** Creates the sender of mails; each call has a connection of its own. */
export function createMailer(
  { config, assertAllowed, lookup }: ChannelSettings<EmailConfig>,
  tls: TlsSettings,
) {
  const { address, password, sender_name } = config
  const server = readServer(config.smtp_url, config)

  async function openSocket(signal: AbortSignal): Promise<Socket> {
    await assertAllowed(server.url)
    const socket = connect({ host: server.host, port: server.port, lookup })
    try {
      await once(socket, 'connect', { signal })
      return socket
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  async function withTransport<Result>(
    signal: AbortSignal,
    act: (transport: import('nodemailer').Transporter, aborted: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { createTransport } = await import('nodemailer')
    return withDeadline(CALL_MS, [signal], async (aborted) => {
      let socket: Socket | undefined
      const transport = createTransport({
        host: server.host,
        port: server.port,
        secure: server.tls === 'implicit',
        requireTLS: server.tls === 'starttls',
        auth: { user: readUsername(config), pass: password },
        connectionTimeout: CONNECT_MS,
        greetingTimeout: CONNECT_MS,
        socketTimeout: CALL_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
        tls,
        getSocket: (_options: unknown, callback: (error: Error | null, options?: object) => void) => {
          openSocket(aborted).then((connection) => {
            socket = connection
            callback(null, { connection })
          }, callback)
        },
      })
      const end = () => socket?.destroy()
      aborted.addEventListener('abort', end, { once: true })
      try {
        return await act(transport, aborted)
      } catch (error) {
        throw toMailFailure('SMTP', error, aborted)
      } finally {
        aborted.removeEventListener('abort', end)
        transport.close()
        socket?.destroy()
      }
    })
  }

  async function sendMail(
    { conversation, to, cc, subject, in_reply_to, references }: MailTarget,
    key: string,
    content: Pick<SendMailOptions, 'text' | 'html' | 'attachments'>,
    signal: AbortSignal,
  ): Promise<void> {
    const mail: SendMailOptions = {
      ...content,
      from: { name: sender_name ?? '', address },
      to,
      cc,
      subject: subject.toWellFormed(),
      messageId: createMessageId(key, conversation, address),
      inReplyTo: in_reply_to,
      references,
      headers: { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' },
    }
    await withTransport(signal, (transport, aborted) =>
      transport.sendMail({ ...mail, signal: aborted } as SendMailOptions),
    )
  }

  return {
    /** Signs in and sends nothing. Throws a `ChannelFailure`. */
    async verify(signal: AbortSignal): Promise<void> {
      await withTransport(signal, (transport) => transport.verify())
    },
    /** Sends an answer in Markdown. Throws a `ChannelFailure`. */
    send: (target: MailTarget, { key, text }: { key: string; text: string }, signal: AbortSignal) => {
      const words = text.toWellFormed()
      return sendMail(target, key, { text: words, html: toHtml(words) }, signal)
    },
    /** Sends a file in a mail of its own. Throws a `ChannelFailure`. */
    sendFile: (
      target: MailTarget,
      { key, filename, media_type, bytes }: OutboundFile,
      signal: AbortSignal,
    ) => {
      const name = filename.toWellFormed()
      const attachment = { filename: name, contentType: media_type, content: Buffer.from(bytes) }
      return sendMail(target, key, { text: name, attachments: [attachment] }, signal)
    },
  }
}
