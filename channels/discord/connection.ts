import type {
  APIApplication,
  APIGatewayBotInfo,
  APIMessageComponentInteraction,
  APIUser,
  GatewayChannelCreateDispatchData,
  GatewayGuildDeleteDispatchData,
  GatewayGuildMemberUpdateDispatchData,
  GatewayGuildRoleCreateDispatchData,
} from 'discord-api-types/v10'
import {
  type ChannelConnection,
  ChannelFailure,
  type ChannelLink,
  type ChannelSettings,
  createTransport,
  type JSONValue,
} from '#plugin-api'
import { createApi, type DiscordApi } from './api.ts'
import { type AttachmentReference, createDownload } from './attachment.ts'
import { type DiscordConfig, readBotId } from './config.ts'
import { missingIntent } from './failure.ts'
import type { GatewayEvent } from './gateway-socket.ts'
import { createGuilds, type GuildParts } from './guilds.ts'
import { type DiscordTarget, readMessage, type WrittenMessage } from './inbound.ts'
import { createMissedMessages } from './missed-messages.ts'
import { createOutbox, type SentMessage } from './outbound.ts'
import { createPresses } from './presses.ts'
import { openSession } from './session.ts'
import { createSocketOptions } from './socket-options.ts'

/** Connects a bot; resolves when it is online. */
export async function openConnection(
  settings: ChannelSettings<DiscordConfig>,
  link: ChannelLink,
): Promise<ChannelConnection> {
  const { bot_token } = settings.config
  const closing = new AbortController()
  const close = () => closing.abort()
  link.signal.throwIfAborted()
  link.signal.addEventListener('abort', close, { once: true })
  const transport = await createTransport(settings, 'Discord')
  const { fetch } = transport
  const api = await createApi({ ...settings, fetch }, closing.signal)

  const guilds = createGuilds(() => botId)
  const missed = createMissedMessages({ api, log: link.log })
  const press = createPresses({ api, link })
  let botId = readBotId({ bot_token }) ?? ''

  function read(message: WrittenMessage) {
    try {
      return readMessage(message, { id: botId, guild: guilds.view(message.guild_id) })
    } catch (error) {
      // Another delivery would be unreadable as well.
      link.log.warn({ error }, 'Discord sent an unreadable message')
      return undefined
    }
  }

  async function receive(message: WrittenMessage): Promise<void> {
    const inbound = read(message)
    if (!inbound) return
    await link.receive(inbound)
    missed.mark(message)
  }

  function handle({ t, d }: GatewayEvent): Promise<void> | undefined {
    switch (t) {
      case 'READY':
        botId = (d as { user: { id: string } }).user.id
        return undefined
      case 'MESSAGE_CREATE':
        return receive(d as WrittenMessage)
      case 'INTERACTION_CREATE':
        press(d as APIMessageComponentInteraction)
        return undefined
      case 'GUILD_CREATE':
        guilds.learn(d as GuildParts)
        return undefined
      case 'GUILD_ROLE_CREATE':
      case 'GUILD_ROLE_UPDATE': {
        const { guild_id, role } = d as GatewayGuildRoleCreateDispatchData
        guilds.learn({ id: guild_id, roles: [role] })
        return undefined
      }
      case 'CHANNEL_CREATE':
      case 'CHANNEL_UPDATE':
      case 'THREAD_CREATE':
      case 'THREAD_UPDATE': {
        const channel = d as GatewayChannelCreateDispatchData
        guilds.learn({ id: channel.guild_id, channels: [channel] })
        return undefined
      }
      case 'GUILD_MEMBER_UPDATE': {
        const { guild_id, user, roles } = d as GatewayGuildMemberUpdateDispatchData
        guilds.learn({ id: guild_id, members: [{ user, roles }] })
        return undefined
      }
      case 'GUILD_DELETE':
        guilds.forget((d as GatewayGuildDeleteDispatchData).id)
        return undefined
    }
    return undefined
  }

  const shut = async () => {
    link.signal.removeEventListener('abort', close)
    closing.abort()
    api.close()
    await transport.close()
  }
  try {
    const session = await openSession({
      token: bot_token,
      gateway: await findGateway(api),
      socketOptions: createSocketOptions(transport, settings.lookup),
      assertAllowed: settings.assertAllowed,
      link,
      handle,
      missed: () => void missed.fetch(receive),
    })
    const outbox = createOutbox(api)
    const download = createDownload({ api, fetch, until: closing.signal })

    return {
      send: async (target, message, signal) => ({
        ...(await outbox.send(toTarget(target), message, signal)),
      }),
      live: (target, message, signal, begun) =>
        outbox.live(toTarget(target), message, signal, begun as SentMessage | undefined),
      settle: (_target, sent, text, signal) => outbox.settle(sent as SentMessage, text, signal),
      sendFile: (target, file, signal) => outbox.sendFile(toTarget(target), file, signal),
      typing: (target, signal) => outbox.typing(toTarget(target), signal),
      download: (reference, signal) => download(reference as AttachmentReference, signal),
      async close() {
        closing.abort()
        await session.close()
        await shut()
      },
    }
  } catch (error) {
    await shut()
    throw error
  }
}

/** Returns the gateway. Throws `rate_limited` if no new session may be started. */
async function findGateway(api: DiscordApi): Promise<APIGatewayBotInfo> {
  const gateway = await api.call<APIGatewayBotInfo>({ method: 'get', path: '/gateway/bot' })
  const { remaining, reset_after } = gateway.session_start_limit
  if (remaining > 0) return gateway
  throw new ChannelFailure('rate_limited', 'The bot has connected to Discord too often today.', {
    retry_after_ms: reset_after,
  })
}

const toTarget = (target: JSONValue) => target as DiscordTarget

/** Flags of applications that may read messages: of verified ones, and of those in fewer than 100 servers. */
const CONTENT_INTENT = (1 << 18) | (1 << 19)

/** Resolves if the token works and its bot may read messages. */
export async function probe(settings: ChannelSettings<DiscordConfig>, signal: AbortSignal): Promise<void> {
  const transport = await createTransport(settings, 'Discord')
  const api = await createApi({ ...settings, fetch: transport.fetch }, signal)
  try {
    await api.call<APIUser>({ method: 'get', path: '/users/@me' })
    const { flags } = await api.call<APIApplication>({ method: 'get', path: '/applications/@me' })
    if (((flags ?? 0) & CONTENT_INTENT) === 0) throw missingIntent()
  } finally {
    api.close()
    await transport.close()
  }
}
