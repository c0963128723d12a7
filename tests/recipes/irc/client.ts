import { EventEmitter } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { connect as connectSecurely } from 'node:tls'

/** A line from the server; `nick` is empty if the server itself says it. */
interface Line {
  tags: Record<string, string | undefined>
  nick: string
  command: string
  params: string[]
}

const LINE =
  /^(?:@(?<tags>\S+) +)?(?::(?<nick>[^ !@]+)\S* +)?(?<command>\S+)(?<middle>(?: +[^ :]\S*)*)(?: +:(?<last>.*))?$/

function parseLine(text: string): Line | undefined {
  const groups = LINE.exec(text)?.groups
  if (!groups) return undefined
  const { tags = '', nick = '', command = '', middle = '', last } = groups
  return {
    tags: Object.fromEntries(tags.split(';').map((tag) => tag.split('='))),
    nick,
    command,
    params: [...middle.split(' ').filter(Boolean), ...(last === undefined ? [] : [last])],
  }
}

/** Opens a connection to an IRC server, with the ids and times of messages, and answers its pings. */
export function createClient(url: string, { nick, password }: { nick: string; password: string }) {
  const { protocol, hostname: host, port } = new URL(url)
  const address = { host, port: Number(port) }
  const socket = protocol === 'ircs:' ? connectSecurely({ ...address, servername: host }) : connect(address)
  const client = new EventEmitter<{ line: [Line]; close: [] }>()
  const send = (command: string, ...words: string[]) =>
    void socket.write(`${[command, ...words].join(' ')}\r\n`)
  const lines = createInterface({ input: socket })
  // The end of the connection says enough.
  lines.on('error', () => socket.destroy())
  socket.on('close', () => client.emit('close'))
  lines.on('line', (text) => {
    const line = parseLine(text)
    if (line?.command === 'PING') send('PONG', `:${line.params[0]}`)
    else if (line) client.emit('line', line)
  })
  send('CAP', 'REQ', ':message-tags server-time')
  send('PASS', `:${password}`)
  send('NICK', nick)
  send('USER', nick, '0', '*', `:${nick}`)
  send('CAP', 'END')
  return Object.assign(client, {
    send,
    isClosed: () => socket.closed,
    end() {
      if (socket.writable) socket.end('QUIT\r\n')
    },
  })
}
