import { randomUUID } from 'node:crypto'
import { on, once } from 'node:events'
import { ChannelFailure, type ChannelSettings, defineChannelKind } from 'agent-platform-service/plugin-api'
import { createClient } from './client.ts'

const text = { type: 'string', minLength: 1 } as const
const limits = { dialect: 'plain', max_length: 350, length_unit: 'bytes' } as const
const [WELCOME, WRONG_PASSWORD] = ['001', '464']
const closed = () => new ChannelFailure('unreachable', 'The connection was closed.')

async function connect(settings: ChannelSettings<{ password: string }>, nick: string, signal: AbortSignal) {
  const { server = '' } = settings.endpoints
  await settings.assertAllowed(server)
  const client = createClient(server, { nick, password: settings.config.password })
  signal.addEventListener('abort', client.end)
  await new Promise<void>((resolve, reject) => {
    client.on('close', () => reject(closed()))
    client.on('line', ({ command, params }) => {
      const reason = command === WRONG_PASSWORD ? 'invalid_credentials' : 'unknown'
      if (command === WELCOME) resolve()
      else if (/^[45]/.test(command)) reject(new ChannelFailure(reason, params.at(-1) ?? command))
    })
  })
  return client
}

export default defineChannelKind({
  kind: 'irc',
  label: { en: 'IRC', zh: 'IRC' },
  config_schema: {
    type: 'object',
    properties: { nick: text, channel: text, password: { ...text, writeOnly: true } },
    required: ['nick', 'channel', 'password'],
    additionalProperties: false,
  },
  endpoints: { server: 'ircs://irc.libera.chat:6697' },
  capabilities: { direct: limits, group: limits },
  identity: ({ nick }) => nick,
  probe: async (settings, signal) => (await connect(settings, `probe-${Date.now()}`, signal)).end(),
  async open(settings, link) {
    const { nick } = settings.config
    const client = await connect(settings, nick, link.signal)
    const ended = new AbortController()
    client.on('close', () => ended.abort(link.lost(closed())))
    client.on('line', ({ command, nick: sender, params: [to = '', message = ''], tags: { time, msgid } }) => {
      if (command !== 'PRIVMSG') return
      const [target, type] = to === nick ? [sender, 'direct' as const] : [to, 'group' as const]
      const mentioned = type === 'direct' || message.startsWith(`${nick}: `)
      const text = type === 'group' && mentioned ? message.slice(nick.length + 2) : message
      const from = { conversation: { id: target, type }, sender: { id: sender }, target }
      const sent_at = time ? Date.parse(time) : undefined
      link.receive({ id: msgid ?? randomUUID(), ...from, text, mentioned, sent_at }).catch(link.lost)
    })
    client.send('JOIN', settings.config.channel)
    return {
      async send(target, { text, key }) {
        for (const line of text.split('\n').filter(Boolean))
          client.send('PRIVMSG', String(target), `:${line}`)
        client.send('PING', `:${key}`) // answered once the server has taken the lines before
        for await (const [{ command, params }] of on(client, 'line', ended))
          if (command === 'PONG' && params.at(-1) === key) return null
        throw closed()
      },
      async close() {
        client.end()
        if (!client.isClosed()) await once(client, 'close')
      },
    }
  },
})
