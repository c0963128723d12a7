import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import type { FakePlatform, Place, Saying, ShownMessage } from '../../plugin-api/testing/fake-platform.ts'
import { type FakeImap, startFakeImap } from './fake-imap.ts'

/** The address of the mailbox, and its password. */
export const ADDRESS = 'assistant@agents.example'
const PASSWORD = 'a password of the mailbox'

const idOf = (sender: string) => `${sender}@people.example`

/** The first mails of the threads that every fake has; the mailbox has never received them. */
const ROOTS: Record<Place, string> = {
  direct: '<root.direct@people.example>',
  group: '<root.group@people.example>',
}

/** A mail that the agent sent. */
export interface SentMail extends Email {
  recipients: string[]
  header(name: string): string | undefined
}

/** The controls that only this fake has. */
export interface FakeEmail extends FakePlatform {
  imap: FakeImap
  /** Puts a mail into the folder: its lines, with LF; returns its number. */
  deliver(lines: string, internal_date?: Date): number
  /** The mails that the agent sent, oldest first. */
  sent(): SentMail[]
  /** Waits until the mail with this number is marked as read. */
  seeRead(uid: number): Promise<void>
  /** Answers the next mail with this reply. */
  refuseNext(code: number, words: string, where?: 'recipient' | 'data'): void
  /** The number of times that somebody tried to sign in to send. */
  smtpLogins(): number
}

/** The settings that tests change. */
interface FakeEmailOptions {
  certificate?: { cert: string; key: string }
  /** True for TLS from the first byte on; otherwise STARTTLS is offered if there is a certificate. */
  secure?: boolean
}

/** Starts a mail server with one mailbox: IMAP for reading, SMTP for sending. */
export async function startFakeEmail({
  certificate,
  secure = false,
}: FakeEmailOptions = {}): Promise<FakeEmail> {
  const imap = await startFakeImap({
    user: ADDRESS,
    password: PASSWORD,
    secure,
    ...(certificate && { certificate }),
  })
  const sent: SentMail[] = []
  const violations = imap.violations
  const uids = new Map<string, number>()
  let limited = 0
  let failing = 0
  let logins = 0
  let count = 0
  let refusal: { code: number; words: string; where: 'recipient' | 'data' } | undefined

  const refuse = (code: number, words: string) => Object.assign(new Error(words), { responseCode: code })
  const takeRefusal = (where: 'recipient' | 'data') => {
    if (refusal?.where !== where) return undefined
    const { code, words } = refusal
    refusal = undefined
    return refuse(code, words)
  }

  const smtp = new SMTPServer({
    secure,
    ...certificate,
    ...(!certificate && { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] }),
    allowInsecureAuth: certificate === undefined,
    onAuth({ username, password }, _session, callback) {
      logins += 1
      if (username === ADDRESS && password === PASSWORD) return callback(null, { user: ADDRESS })
      callback(refuse(535, '5.7.8 Authentication credentials invalid'))
    },
    onMailFrom({ address }, _session, callback) {
      if (address !== ADDRESS) return callback(refuse(553, '5.7.1 Sender address rejected'))
      if (limited > 0) {
        limited -= 1
        return callback(refuse(450, '4.7.1 Too many messages, slow down'))
      }
      callback()
    },
    onRcptTo(_address, _session, callback) {
      callback(takeRefusal('recipient'))
    },
    onData(stream, { envelope }, callback) {
      buffer(stream)
        .then(async (bytes) => {
          if (failing > 0) {
            failing -= 1
            return refuse(451, '4.3.0 Local error in processing')
          }
          const mail = await PostalMime.parse(bytes)
          const refused = takeRefusal('data')
          if (refused) return refused
          // As many servers do, one that was sent twice arrives once.
          if (sent.some(({ messageId }) => messageId === mail.messageId)) return undefined
          const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value
          if (header('auto-submitted') !== 'auto-replied')
            violations.push('an answer is not marked as automatic')
          if (!header('in-reply-to') || !header('references'))
            violations.push('an answer is not in its thread')
          sent.push({ ...mail, recipients: envelope.rcptTo.map(({ address }) => address), header })
          return undefined
        })
        .then((error) => callback(error), callback)
    },
  })
  smtp.on('error', () => undefined)
  const server = smtp.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const placeOf = ({ references = '' }: Email): Place =>
    references.includes(ROOTS.group) ? 'group' : 'direct'

  const toShown = (mail: SentMail): ShownMessage => {
    const [file] = mail.attachments
    return {
      id: mail.messageId!,
      place: placeOf(mail),
      text: (mail.text ?? '').trim(),
      history: [],
      is_live: false,
      buttons: [],
      ...(file && {
        file: {
          filename: file.filename ?? '',
          media_type: file.mimeType,
          bytes: new Uint8Array(file.content as ArrayBuffer),
        },
      }),
    }
  }

  const write = (
    id: string,
    { text, place = 'direct', sender = 'ann', mention = true, file, quote }: Saying,
  ) => {
    const [to, cc] =
      place === 'direct' ? [ADDRESS] : mention ? [ADDRESS, idOf('bob')] : ['team@people.example', ADDRESS]
    const quoted =
      quote === undefined
        ? ''
        : `\n\nOn Mon, 6 Jul 2026 at 10:00, Bob <bob@people.example> wrote:\n\n> ${quote}`
    const body = `Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n${Buffer.from(text + quoted).toString('base64')}`
    const attached = file
      ? `Content-Type: multipart/mixed; boundary="b1"\n\n--b1\n${body}\n--b1\nContent-Type: ${file.media_type}; name="${file.filename}"\nContent-Disposition: attachment; filename="${file.filename}"\nContent-Transfer-Encoding: base64\n\n${Buffer.from(file.bytes).toString('base64').replace(/.{76}/g, '$&\n')}\n--b1--\n`
      : body
    return `Return-Path: <${sender}@people.example>\nMessage-ID: <${id}@people.example>\nFrom: ${sender} <${idOf(sender)}>\nTo: ${to}\n${cc ? `Cc: ${cc}\n` : ''}Subject: Re: Talk\nIn-Reply-To: ${ROOTS[place]}\nReferences: ${ROOTS[place]}\nMIME-Version: 1.0\n${attached}`
  }
  const said = new Map<string, Saying>()
  const toSource = (lines: string) => Buffer.from(lines.replace(/\r?\n/g, '\r\n'))

  const seeRead = async (uid: number) => {
    for (let waited = 0; ; waited += 10) {
      if (
        imap
          .mails()
          .find((mail) => mail.uid === uid)
          ?.flags.has('\\Seen')
      )
        return
      if (waited > 40_000) throw new Error(`mail ${uid} was not read`)
      await pause(10)
    }
  }

  const put = (saying: Saying) => {
    count += 1
    const id = saying.id ?? `m${count}`
    said.set(id, saying)
    uids.set(id, imap.deliver(toSource(write(id, saying)), new Date(saying.sent_at ?? Date.now())))
    return id
  }

  const scheme = secure ? 's' : ''
  const config = {
    address: ADDRESS,
    password: PASSWORD,
    imap_url: `imap${scheme}://127.0.0.1:${imap.port}`,
    smtp_url: `smtp${scheme}://127.0.0.1:${port}`,
    allowed_senders: ['people.example'],
    sender_name: 'The Assistant',
  }
  return {
    endpoints: {},
    allow_hosts: ['127.0.0.1'],
    config,
    wrong_config: { ...config, password: 'another password' },
    async say(saying) {
      const id = put(saying)
      await seeRead(uids.get(id)!)
      return id
    },
    async sayUnheard(saying) {
      return put(saying)
    },
    idOf,
    async redeliver(id) {
      await seeRead(imap.deliver(toSource(write(id, said.get(id)!))))
    },
    shown: (place) => sent.map(toShown).filter((message) => place === undefined || message.place === place),
    press: async () => undefined,
    connections: () => imap.connections(),
    drop: () => imap.drop(),
    limitRate(calls) {
      limited = calls
    },
    fail(calls) {
      failing = calls
    },
    typings: () => 0,
    violations,
    imap,
    deliver: (lines, internal_date) => imap.deliver(toSource(lines), internal_date),
    sent: () => sent,
    seeRead,
    refuseNext(code, words, where = 'data') {
      refusal = { code, words, where }
    },
    smtpLogins: () => logins,
    async close() {
      await imap.close()
      await new Promise<void>((resolve) => smtp.close(() => resolve()))
    },
  }
}
