import type { ChannelConnection, ChannelLink, ChannelSettings } from '#plugin-api'
import { checkAccount, checkHomeserver, createTokens } from './account.ts'
import { createApi } from './api.ts'
import type { MatrixConfig } from './config.ts'
import { createIntake } from './intake.ts'
import { createInvites } from './invites.ts'
import { downloadFile, type FileReference } from './media.ts'
import { createOutbound } from './outbound.ts'
import { createPosition } from './position.ts'
import { createRooms } from './rooms.ts'
import { createSync } from './sync.ts'

/** Connects an account; resolves after the homeserver's first answer. */
export async function openConnection(
  settings: ChannelSettings<MatrixConfig>,
  link: ChannelLink,
): Promise<ChannelConnection> {
  const { user_id, accept_invites = true } = settings.config
  const { allow_from = [] } = settings.config as { allow_from?: readonly string[] }
  const accepts = (sender: string) => allow_from.length === 0 || allow_from.includes(sender)
  const closing = new AbortController()
  const signal = AbortSignal.any([link.signal, closing.signal])
  const position = createPosition(link.cursor)
  // The channel is one device of the account, however often it signs in.
  const device = { device_id: `svc-${link.channel_id}`, stored: position.token(), save: position.saveToken }
  const api = createApi(settings, createTokens(settings, device, signal), signal)

  await checkHomeserver(api, signal)
  await checkAccount(api, settings.config, signal)
  const outbound = createOutbound(api, user_id)
  const invites = createInvites({
    api,
    position,
    user_id,
    accepts: (sender) => accept_invites && accepts(sender),
    log: link.log,
    signal,
  })
  const intake = createIntake({
    api,
    link,
    position,
    rooms: createRooms(api),
    invites,
    outbound,
    user_id,
    accepts,
    signal,
  })
  const sync = createSync({ api, link, signal, position, handle: intake.handle })
  await sync.begin()
  const ended = sync.run()

  return {
    send: outbound.send,
    live: outbound.live,
    settle: outbound.settle,
    sendFile: outbound.sendFile,
    typing: outbound.typing,
    download: (reference, until) => downloadFile(api, reference as FileReference, until),
    async close() {
      closing.abort()
      await ended
      await intake.ended()
    },
  }
}
