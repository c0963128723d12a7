import {
  ChannelFailure,
  type ChannelLink,
  type ChannelSettings,
  defineChannelKind,
} from 'agent-platform-service/plugin-api'

const limits = { dialect: 'plain', max_length: 2000, length_unit: 'characters' } as const

export default defineChannelKind({
  kind: '{{name}}',
  label: { en: '{{name}}', zh: '{{name}}' },
  config_schema: {
    type: 'object',
    properties: { token: { type: 'string', writeOnly: true, description: 'The token of the bot' } },
    required: ['token'],
    additionalProperties: false,
  },
  endpoints: { api: 'https://api.example.com' },
  capabilities: { direct: limits, group: limits },
  identity: ({ token }) => token,
  probe: (settings, signal) => call(settings, signal, 'GET', '/me'),
  async open(settings, link) {
    await call(settings, link.signal, 'GET', '/me')
    const closing = new AbortController()
    const listening = listen(settings, link, AbortSignal.any([link.signal, closing.signal]))
    return {
      send: (room, { text, key }, signal) => call(settings, signal, 'POST', '/messages', { room, text, key }),
      async close() {
        closing.abort()
        await listening
      },
    }
  },
})

/** Hands over messages as they arrive. Replace this and `call` with the client library of your platform. */
async function listen(settings: ChannelSettings, link: ChannelLink, signal: AbortSignal): Promise<void> {
  try {
    for (let after = 0; !signal.aborted; ) {
      const messages = await call(settings, signal, 'GET', `/messages?after=${after}`)
      for (const { number, id, room, is_group, author, text, mentioned, sent_at } of messages) {
        const conversation = { id: room, type: is_group ? ('group' as const) : ('direct' as const) }
        await link.receive({
          id,
          conversation,
          sender: { id: author },
          text,
          mentioned,
          sent_at,
          target: room,
        })
        // The platform forgets the messages up to `after`, so it advances only once the message is stored.
        after = number
      }
    }
  } catch (error) {
    if (!signal.aborted) link.lost(error)
  }
}

/** Calls the platform; the reason of a failure decides whether the call is repeated and what people read. */
async function call(
  settings: ChannelSettings,
  signal: AbortSignal,
  method: string,
  path: string,
  body?: object,
) {
  const { endpoints, config, fetch } = settings
  const headers = { authorization: `Bearer ${config.token}`, 'content-type': 'application/json' }
  const answer = await fetch(endpoints.api + path, { method, headers, body: JSON.stringify(body), signal })
  if (answer.ok) return JSON.parse(await answer.text())
  const reasons = { 401: 'invalid_credentials', 403: 'forbidden', 429: 'rate_limited' } as const
  const reason = reasons[answer.status as keyof typeof reasons] ?? 'unreachable'
  const seconds = Number(answer.headers.get('retry-after') ?? 1)
  throw new ChannelFailure(reason, `The platform answered ${answer.status}.`, {
    retry_after_ms: seconds * 1000,
  })
}
