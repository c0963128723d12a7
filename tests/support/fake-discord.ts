import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FakePlatform, Saying, SentFile } from '../../plugin-api/testing/fake-platform.ts'
import { createFakeApi, type Troubles } from './fake-discord-api.ts'
import { type FakeGateway, serveGateway, urlOf } from './fake-discord-gateway.ts'
import { createInteractions } from './fake-discord-interactions.ts'
import { createMessages, guildOf } from './fake-discord-messages.ts'
import { BOT, CHANNELS, createSnowflakes, makeToken, person, type WireMessage } from './fake-discord-world.ts'

/** The flag of an application with the Message Content intent that no review was needed for. */
const CONTENT_LIMITED = 1 << 19

/** The fake of Discord, with what only Discord has. */
interface FakeDiscord extends FakePlatform {
  gateway: FakeGateway
  troubles: Troubles
  /** Texts that must never be visible: tokens of bots and of interactions, signatures of files. */
  secrets(): string[]
  /** Writes any message, with fields of Discord's own; resolves when the bot has it. */
  write(fields: Partial<WireMessage>): Promise<string>
  /** Does the same without waiting for the bot, also while it is offline. */
  writeUnseen(fields: Partial<WireMessage>): string
  /** Stores a file; returns it as the attachment of a message. */
  host(file: SentFile): WireMessage['attachments'][number]
  messageOf(id: string): WireMessage
  /** Makes the addresses of files invalid that were given out. */
  expireFiles(): void
  /** Answers nothing any more, by HTTP or by socket. */
  silence(isSilent: boolean): void
  /** The ports from which connections came. */
  peers: Set<number>
  /** Takes the token of the bot away. */
  revoke(): void
  /** Archives a thread, as Discord does after some time without messages. */
  archive(channel_id: string): void
}

/** Starts Discord on loopback. */
export async function startFakeDiscord(): Promise<FakeDiscord> {
  const violations: string[] = []
  const good = makeToken()
  const wrong = makeToken()
  let token = good
  const nextId = createSnowflakes()
  const messages = createMessages({ nextId, violations })
  const said = new Map<string, object>()
  const hosted = new Map<string, SentFile>()
  const signatures: string[] = []
  let typings = 0
  const troubles: Troubles = {
    limited: { calls: 0, seconds: 0, isGlobal: false },
    failing: 0,
    answers: [],
    isSilent: false,
    sessionsLeft: 1000,
    flags: CONTENT_LIMITED,
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x')
    if (!pathname.startsWith('/attachments/')) return serveApi(request, response)
    if (request.headers.authorization) violations.push('the token was sent to the server of files')
    const file = hosted.get(pathname)
    if (!file || searchParams.get('hm') !== signatures.at(-1)) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': file.media_type }).end(file.bytes)
  })
  const peers = new Set<number>()
  server.on('connection', ({ remotePort }) => peers.add(remotePort!))
  const gateway = serveGateway({ server, token: () => token, violations })
  const interactions = createInteractions({ gateway, messages, nextId, violations })
  const serveApi = createFakeApi({
    token: () => token,
    gatewayUrl: () => urlOf(server),
    messages,
    interactions,
    troubles,
    violations,
    typing: () => void typings++,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sign = () => void signatures.push(randomUUID().replaceAll('-', ''))
  sign()

  function host(message_id: string, file: SentFile) {
    const id = nextId()
    const path = `/attachments/${id}/${encodeURIComponent(file.filename)}`
    hosted.set(path, file)
    return {
      id,
      filename: file.filename,
      content_type: file.media_type,
      size: file.bytes.length,
      // Read anew, as Discord signs an address each time that it shows one.
      get url() {
        return `${address}${path}?ex=1&is=1&hm=${signatures.at(-1)}&m=${message_id}`
      },
    }
  }

  function compose(fields: Partial<WireMessage>): WireMessage {
    const { channel_id = CHANNELS.direct } = fields
    const message: WireMessage = {
      id: nextId(),
      type: 0,
      channel_id,
      ...guildOf(channel_id),
      author: person('ann'),
      content: '',
      timestamp: new Date().toISOString(),
      mentions: [],
      mention_roles: [],
      attachments: [],
      components: [],
      ...('guild_id' in guildOf(channel_id) && { member: { nick: null, roles: [] } }),
      ...fields,
    }
    messages.all.set(message.id, message)
    said.set(message.id, message)
    return message
  }

  const write = async (fields: Partial<WireMessage>) => {
    await gateway.online()
    const message = compose(fields)
    await gateway.dispatch('MESSAGE_CREATE', message).acknowledged()
    return message.id
  }

  return {
    endpoints: { api: `${address}/api` },
    config: { bot_token: good },
    wrong_config: { bot_token: wrong },
    violations,
    gateway,
    troubles,
    peers,
    write,
    say: (saying) => write(fieldsOf(saying, nextId, host)),
    writeUnseen(fields) {
      const message = compose(fields)
      gateway.dispatch('MESSAGE_CREATE', message)
      return message.id
    },
    host: (file) => host(nextId(), file),
    messageOf: (id) => messages.all.get(id)!,
    async redeliver(id) {
      await gateway.online()
      await gateway.dispatch('MESSAGE_CREATE', said.get(id)!).acknowledged()
    },
    shown: (place) => messages.shown().filter((message) => !place || message.place === place),
    press: async (message_id, label, sender = 'ann') => interactions.press(message_id, label, sender),
    connections: gateway.connections,
    drop: gateway.drop,
    limitRate(calls, seconds) {
      Object.assign(troubles.limited, { calls, seconds })
    },
    fail(calls) {
      troubles.failing = calls
    },
    typings: () => typings,
    secrets: () => [good, good.split('.')[2]!, wrong, ...interactions.tokens, ...signatures],
    expireFiles: sign,
    silence(isSilent) {
      troubles.isSilent = isSilent
      gateway.silence(isSilent)
    },
    archive: messages.archive,
    revoke() {
      token = makeToken()
    },
    async close() {
      gateway.close()
      interactions.close()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Creates the Discord message for an action of a person. */
function fieldsOf(
  { text, place = 'direct', sender = 'ann', mention = true, id, sent_at, file, quote }: Saying,
  nextId: () => string,
  host: (message_id: string, file: SentFile) => WireMessage['attachments'][number],
): Partial<WireMessage> {
  const message_id = id ?? nextId()
  const isMention = place === 'group' && mention
  const base = { channel_id: CHANNELS[place], mention_roles: [], attachments: [], components: [] }
  return {
    ...base,
    id: message_id,
    author: person(sender),
    content: isMention ? `<@${BOT.id}> ${text}` : text,
    mentions: isMention ? [{ ...BOT, member: { nick: null, roles: [] } }] : [],
    attachments: file ? [host(message_id, file)] : [],
    ...(sent_at !== undefined && { timestamp: new Date(sent_at).toISOString() }),
    ...(quote !== undefined && {
      type: 19,
      message_reference: { type: 0, message_id: '1', channel_id: CHANNELS[place] },
      referenced_message: {
        ...base,
        id: '1',
        type: 0,
        author: person('ben'),
        content: quote,
        timestamp: new Date(0).toISOString(),
        mentions: [],
      },
    }),
  }
}
