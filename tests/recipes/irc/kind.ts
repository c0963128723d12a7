import { randomUUID } from 'node:crypto'
import { on, once } from 'node:events'
import { ChannelFailure, type ChannelSettings, defineChannelKind } from 'agent-platform-service/plugin-api'
import { Client } from 'irc-framework'

const text = { type: 'string', minLength: 1 } as const
const limits = { dialect: 'plain', max_length: 350, length_unit: 'bytes' } as const
const closed = () => new ChannelFailure('unreachable', 'The connection was closed.')

async function connect(settings: ChannelSettings<{ password: string }>, nick: string, signal: AbortSignal) {
  const { server = '' } = settings.endpoints
  await settings.assertAllowed(server)
  const { protocol, hostname: host, port } = new URL(server)
  const options = { host, port: Number(port), tls: protocol === 'ircs:', auto_reconnect: false }
  const client = new Client()
  signal.addEventListener('abort', () => client.quit())
  await new Promise<void>((resolve, reject) => {
    client.on('registered', resolve)
    client.on('close', () => reject(closed()))
    client.on('irc error', ({ error, reason = error }) =>
      reject(new ChannelFailure(error === 'password_mismatch' ? 'invalid_credentials' : 'unknown', reason)),
    )
    client.connect({ ...options, nick, password: settings.config.password })
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
  probe: async (settings, signal) => (await connect(settings, `probe-${Date.now()}`, signal)).quit(),
  async open(settings, link) {
    const { nick } = settings.config
    const client = await connect(settings, nick, link.signal)
    const ended = new AbortController()
    client.on('close', () => ended.abort(link.lost(closed())))
    client.on('privmsg', ({ nick: sender, target: to, message, time: sent_at, tags }) => {
      const [target, type] = to === nick ? [sender, 'direct' as const] : [to, 'group' as const]
      const mentioned = type === 'direct' || message.startsWith(`${nick}: `)
      const text = type === 'group' && mentioned ? message.slice(nick.length + 2) : message
      const from = { conversation: { id: target, type }, sender: { id: sender }, target }
      link.receive({ id: tags.msgid ?? randomUUID(), ...from, text, mentioned, sent_at }).catch(link.lost)
    })
    client.join(settings.config.channel)
    return {
      async send(target, { text, key }) {
        client.say(String(target), text)
        client.ping(key) // answered once the server has taken the lines before
        for await (const [{ message }] of on(client as never, 'pong', ended)) if (message === key) return null
        throw closed()
      },
      async close() {
        client.quit()
        if (client.connected) await once(client as never, 'close')
      },
    }
  },
})
