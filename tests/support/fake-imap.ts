import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { describeStructure, parseMail, readSection } from './fake-imap-mail.ts'

/** A mail in the folder. */
export interface StoredMail {
  uid: number
  source: Buffer
  flags: Set<string>
  internal_date: Date
}

/** The settings of a fake IMAP server. */
interface ImapSettings {
  user: string
  password: string
  /** The certificate and key for TLS. */
  certificate?: { cert: string; key: string }
  /** True for TLS from the first byte on. */
  secure?: boolean
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const two = (number: number) => String(number).padStart(2, '0')
const toImapDate = (date: Date) =>
  `${two(date.getUTCDate())}-${MONTHS[date.getUTCMonth()]}-${date.getUTCFullYear()} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`

/** A mail server that speaks IMAP4rev1 with IDLE on loopback, with one account and one folder. */
export type FakeImap = Awaited<ReturnType<typeof startFakeImap>>

/** Starts the server. */
export async function startFakeImap({ user, password, certificate, secure = false }: ImapSettings) {
  const sockets = new Set<Socket>()
  const idling = new Map<Socket, () => void>()
  const violations: string[] = []
  let mails: StoredMail[] = []
  let validity = 1000
  let next = 1
  let logins = 0
  let refusedLogin: string | undefined
  let hasIdle = true
  const commands: string[] = []

  const capabilities = () =>
    `IMAP4rev1 UIDPLUS${hasIdle ? ' IDLE' : ''}${certificate && !secure ? ' STARTTLS' : ''}`

  const serve = (plain: Socket) => {
    let socket: Socket = plain
    sockets.add(plain)
    let pending = Buffer.alloc(0)
    let isSignedIn = false
    let isSelected = false
    let seen = 0
    let idleTag = ''
    const write = (text: string | Buffer) => void socket.write(text)
    const line = (text: string) => write(`${text}\r\n`)

    const showNew = () => {
      if (!isSelected || seen === mails.length) return
      seen = mails.length
      line(`* ${seen} EXISTS`)
    }

    const fetch = (uid: number, sequence: number, items: string) => {
      const mail = mails.find((one) => one.uid === uid)!
      const parts: (string | Buffer)[] = [`* ${sequence} FETCH (UID ${uid}`]
      if (/\bFLAGS\b/.test(items)) parts.push(` FLAGS (${[...mail.flags].join(' ')})`)
      if (/\bINTERNALDATE\b/.test(items)) parts.push(` INTERNALDATE "${toImapDate(mail.internal_date)}"`)
      if (/\bRFC822\.SIZE\b/.test(items)) parts.push(` RFC822.SIZE ${mail.source.length}`)
      if (/\bBODYSTRUCTURE\b/.test(items))
        parts.push(` BODYSTRUCTURE ${describeStructure(parseMail(mail.source))}`)
      if (/BODY\[/.test(items)) violations.push('a fetch marked the mail as read')
      for (const [, section = '', start, length] of items.matchAll(
        /BODY(?:\.PEEK)?\[([^\]]*)\](?:<(\d+)\.(\d+)>)?/g,
      )) {
        const whole = readSection(mail.source, section)
        const bytes =
          start === undefined ? whole : whole.subarray(Number(start), Number(start) + Number(length))
        parts.push(` BODY[${section}]${start === undefined ? '' : `<${start}>`} {${bytes.length}}\r\n`, bytes)
      }
      for (const part of parts) write(part)
      line(')')
    }

    const select = (set: string) => {
      const last = mails.at(-1)?.uid ?? 0
      const uids = new Set<number>()
      for (const range of set.split(',')) {
        const [from, to = from] = range.split(':').map((number) => (number === '*' ? last : Number(number)))
        const [low, high] = [Math.min(from!, to!), Math.max(from!, to!)]
        for (const { uid } of mails) if (uid >= low && uid <= high) uids.add(uid)
      }
      return [...uids]
    }

    const search = (criteria: string) => {
      const [, set] = /\bUID ([\d:,*]+)/.exec(criteria) ?? []
      const [, since] = /\bSINCE "?([\w-]+)"?/.exec(criteria) ?? []
      const chosen = set ? new Set(select(set)) : undefined
      return mails
        .filter(({ uid }) => chosen?.has(uid) ?? true)
        .filter(({ internal_date }) => !since || internal_date.getTime() >= Date.parse(`${since} UTC`))
        .map(({ uid }) => uid)
    }

    const run = (tag: string, name: string, argument: string) => {
      const ok = (words = 'done') => line(`${tag} OK ${words}`)
      commands.push(name)
      switch (name) {
        case 'CAPABILITY':
          line(`* CAPABILITY ${capabilities()}`)
          return ok()
        case 'STARTTLS': {
          ok()
          const secured = new TLSSocket(plain, { isServer: true, ...certificate })
          plain.removeListener('data', take)
          secured.on('data', take)
          secured.on('error', () => undefined)
          socket = secured
          return
        }
        case 'LOGIN': {
          logins += 1
          const [, name = '', secret = ''] = /^"?([^"\s]*)"? "?(.*?)"?$/.exec(argument) ?? []
          if (refusedLogin) return line(`${tag} NO ${refusedLogin}`)
          if (name !== user || secret !== password)
            return line(`${tag} NO [AUTHENTICATIONFAILED] Invalid credentials`)
          isSignedIn = true
          return ok(`[CAPABILITY ${capabilities()}] signed in`)
        }
        case 'LOGOUT':
          sockets.delete(plain)
          line('* BYE until later')
          ok()
          return void socket.end()
      }
      if (!isSignedIn) return line(`${tag} BAD sign in first`)
      switch (name) {
        case 'LIST':
        case 'LSUB':
          if (!/INBOX|\*|%/i.test(argument)) line(`* ${name} (\\Noselect) "/" ""`)
          else line(`* ${name} (\\HasNoChildren) "/" INBOX`)
          return ok()
        case 'SELECT':
        case 'EXAMINE':
          if (!/^"?INBOX"?$/i.test(argument)) return line(`${tag} NO [NONEXISTENT] no such folder`)
          isSelected = true
          seen = mails.length
          line(`* ${seen} EXISTS`)
          line('* FLAGS (\\Seen \\Answered \\Deleted)')
          line(`* OK [UIDVALIDITY ${validity}] valid`)
          line(`* OK [UIDNEXT ${next}] next`)
          line('* OK [PERMANENTFLAGS (\\Seen \\Answered \\Deleted)] allowed')
          return ok(name === 'SELECT' ? '[READ-WRITE] open' : '[READ-ONLY] open')
        case 'NOOP':
          showNew()
          return ok()
        case 'IDLE':
          if (!hasIdle) return line(`${tag} BAD not known`)
          line('+ idling')
          idleTag = tag
          idling.set(plain, showNew)
          return showNew()
        case 'UID SEARCH':
          line(`* SEARCH ${search(argument).join(' ')}`.trimEnd())
          return ok()
        case 'UID FETCH': {
          const [, set = '', items = ''] = /^(\S+) (.*)$/.exec(argument) ?? []
          for (const uid of select(set)) fetch(uid, mails.findIndex((one) => one.uid === uid) + 1, items)
          return ok()
        }
        case 'UID STORE': {
          const [, set = '', flags = ''] = /^(\S+) \+FLAGS(?:\.SILENT)? \((.*)\)$/.exec(argument) ?? []
          for (const uid of select(set))
            for (const flag of flags.split(' ')) mails.find((one) => one.uid === uid)!.flags.add(flag)
          return ok()
        }
        default:
          return line(`${tag} BAD ${name} is not known`)
      }
    }

    const take = (bytes: Buffer) => {
      pending = Buffer.concat([pending, bytes])
      for (;;) {
        const end = pending.indexOf('\r\n')
        if (end < 0) return
        const text = pending.subarray(0, end).toString()
        pending = pending.subarray(end + 2)
        if (text.toUpperCase() === 'DONE') {
          idling.delete(plain)
          line(`${idleTag} OK idled`)
          continue
        }
        const [, tag = '*', name = '', argument = ''] = /^(\S+) ((?:UID )?\S+)(?: (.*))?$/i.exec(text) ?? []
        run(tag, name.toUpperCase(), argument)
      }
    }

    plain.on('data', take)
    plain.on('error', () => undefined)
    plain.on('close', () => {
      sockets.delete(plain)
      idling.delete(plain)
    })
    line(`* OK [CAPABILITY ${capabilities()}] ready`)
  }

  const server = secure ? createTlsServer({ ...certificate }, serve) : createServer(serve)
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    port,
    commands,
    violations,
    mails: () => mails,
    logins: () => logins,
    connections: () => sockets.size,
    /** Puts a mail into the folder; connections that idle see it at once. */
    deliver(source: Buffer, internal_date = new Date()): number {
      const uid = next
      next += 1
      mails.push({ uid, source, internal_date, flags: new Set() })
      for (const show of idling.values()) show()
      return uid
    },
    /** Numbers all mails anew, as after a folder was restored from a backup. */
    renumber(first: number): void {
      validity += 1
      mails = mails.map((mail, index) => ({ ...mail, uid: first + index }))
      next = first + mails.length
    },
    expunge(uid: number): void {
      mails = mails.filter((mail) => mail.uid !== uid)
    },
    /** Refuses logins with these words; undefined accepts them again. */
    refuseLogins(words: string | undefined): void {
      refusedLogin = words
    },
    withoutIdle(): void {
      hasIdle = false
    },
    drop(): void {
      for (const socket of sockets) socket.destroy()
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
