import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import {
  eventually,
  type FakePlatform,
  type Saying,
  type ShownMessage,
} from 'agent-platform-service/plugin-api/testing'

const PASSWORD = 'the password of the server'
const CHANNEL = '#agents'
const BOT = 'svc-bot'
/** The longest line, in bytes, with its end. */
const MAX_LINE = 512

/** A client of the server. */
interface Client {
  socket: Socket
  nick: string
  password: string
  isNegotiating: boolean
  isRegistered: boolean
  hasJoined: boolean
}

/** Starts a small IRC server on loopback, with capabilities for ids and times of messages. */
export async function startFakeIRC(): Promise<FakePlatform> {
  const clients = new Set<Client>()
  const shown: ShownMessage[] = []
  const said = new Map<string, Saying>()
  const pongs = new Set<string>()
  const violations: string[] = []
  let failing = 0
  let count = 0

  const bot = () => [...clients].find(({ nick, hasJoined }) => nick === BOT && hasJoined)

  const drop = (client: Client) => {
    clients.delete(client)
    client.socket.destroy()
  }

  const register = (client: Client, send: (line: string) => void) => {
    const { nick, isNegotiating, isRegistered, password } = client
    if (isRegistered || nick === '' || isNegotiating) return
    if (password !== PASSWORD) {
      send(`:irc 464 ${nick} :Password incorrect`)
      client.socket.end()
      return
    }
    client.isRegistered = true
    send(`:irc 001 ${nick} :Welcome, ${nick}`)
  }

  const handle = (client: Client, line: string) => {
    const send = (line: string) => void client.socket.write(`${line}\r\n`)
    const [head = '', ...trailing] = line.split(' :')
    const [command, ...params] = [...head.split(' '), ...(trailing.length > 0 ? [trailing.join(' :')] : [])]
    const [first = '', last = ''] = [params[0], params.at(-1)]
    if (Buffer.byteLength(line) + 2 > MAX_LINE) violations.push('a line is too long')
    switch (command) {
      case 'CAP':
        client.isNegotiating = first !== 'END'
        if (first === 'LS') send(':irc CAP * LS :message-tags server-time')
        if (first === 'REQ') send(`:irc CAP * ACK :${last}`)
        return register(client, send)
      case 'PASS':
        client.password = last
        return
      case 'NICK':
        client.nick = first
        return
      case 'USER':
        return register(client, send)
      case 'JOIN':
        client.hasJoined = first === CHANNEL
        return send(`:${client.nick}!bot@host JOIN ${first}`)
      case 'PING':
        return send(`:irc PONG irc :${last}`)
      case 'PONG':
        pongs.add(last)
        return
      case 'QUIT':
        clients.delete(client)
        client.socket.end()
        return
      case 'PRIVMSG':
        if (failing > 0) {
          failing -= 1
          return drop(client)
        }
        count += 1
        shown.push({
          id: String(count),
          place: first === CHANNEL ? 'group' : 'direct',
          text: last,
          history: [],
          is_live: false,
          buttons: [],
        })
    }
  }

  const server = createServer((socket) => {
    const client = {
      socket,
      nick: '',
      password: '',
      isNegotiating: false,
      isRegistered: false,
      hasJoined: false,
    }
    clients.add(client)
    socket.on('error', () => drop(client))
    socket.on('close', () => clients.delete(client))
    createInterface({ input: socket }).on('line', (line) => handle(client, line))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')

  /** Writes a message to the bot, again where its connection ended before it had read it. */
  const deliver = async (id: string) => {
    const { text, place = 'direct', sender = 'ann', mention = true, sent_at = Date.now() } = said.get(id)!
    const words = place === 'group' && mention ? `${BOT}: ${text}` : text
    const target = place === 'group' ? CHANNEL : BOT
    for (let isRead: boolean | undefined; !isRead; ) {
      const { socket } = await eventually('the bot is there', bot)
      count += 1
      const token = `read-${count}`
      const tags = `@time=${new Date(sent_at).toISOString()};msgid=${id}`
      socket.write(`${tags} :${sender}!${sender}@host PRIVMSG ${target} :${words}\r\nPING :${token}\r\n`)
      await eventually('the bot reads', () => socket.destroyed || pongs.has(token))
      isRead = pongs.has(token)
    }
  }

  return {
    endpoints: { server: `irc://127.0.0.1:${(server.address() as AddressInfo).port}` },
    config: { nick: BOT, channel: CHANNEL, password: PASSWORD },
    wrong_config: { nick: BOT, channel: CHANNEL, password: 'the password of another server' },
    async say(saying) {
      count += 1
      const id = saying.id ?? `m${count}`
      said.set(id, saying)
      await deliver(id)
      return id
    },
    redeliver: deliver,
    shown: (place) => shown.filter((message) => place === undefined || message.place === place),
    press: async () => undefined,
    connections: () => clients.size,
    drop: () => clients.forEach(drop),
    limitRate() {},
    fail(calls) {
      failing = calls
    },
    typings: () => 0,
    violations,
    async close() {
      clients.forEach(drop)
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
