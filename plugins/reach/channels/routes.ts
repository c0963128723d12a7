import { makeTag, objectOf, pageQuery, pageReply, replyWithTag } from '#plugin-api'
import { channelFields } from './channels.ts'
import type { ChannelDocument, ConversationDocument } from './documents.ts'
import { type Cradle, route } from './manifest.ts'
import {
  begunRegistration,
  channelChanges,
  channelParams,
  channelRow,
  conversationRow,
  kindParams,
  kindRow,
  newChannel,
  probeRequest,
  probeResult,
  registrationStatus,
  registrationToken,
} from './schemas.ts'

const PATH = '/agents/:id/channels'
const permitted = ['permitted_owner', 'channels'] as const
const list = <const Items extends object>(items: Items) => ({ type: 'array', items }) as const

const showChannel = <const Status extends number>(
  status: Status,
  channel: ChannelDocument,
  { channels }: Cradle,
) => replyWithTag(status, channels.show(channel), makeTag(channel, channelFields))

const toConversationRow = ({
  _id,
  channel_id,
  type,
  sender,
  thread_id,
  last_message_at,
}: ConversationDocument) => ({
  conversation_id: _id.slice(channel_id.length + 1),
  type: type!,
  sender: sender!,
  thread_id,
  last_message_at: last_message_at!,
})

/** The routes of channels under `/agents/:id/channels`, and the list of kinds. */
export const channelRoutes = [
  route({
    method: 'GET',
    path: '/channels/kinds',
    operation_id: 'listChannelKinds',
    summary: 'List the kinds of channels',
    description:
      'Lists the messaging platforms to which agents can be linked, with the JSON Schema of the `config` of each kind. Fields that a schema marks `writeOnly` are secrets. `registration` tells whether a QR code can replace entering credentials.',
    guard: 'user',
    response: { 200: list(kindRow) },
  }).handle(({ locale }, { channelKinds }) => channelKinds.list(locale)),

  route({
    method: 'GET',
    path: PATH,
    operation_id: 'listChannels',
    summary: 'List the channels of an agent',
    description: 'Lists the channels by name, each with the state of its connection. Secrets are masked.',
    guard: permitted,
    query: objectOf(pageQuery),
    response: { 200: list(channelRow) },
  }).handle(async ({ agent, query }, { channels }) => {
    const { rows, next } = await channels.list(agent, query)
    return pageReply(query, { rows: rows.map(channels.show), next })
  }),

  route({
    method: 'POST',
    path: PATH,
    operation_id: 'createChannel',
    summary: 'Create a channel',
    description:
      'Connects the agent to a messaging platform. An enabled channel connects immediately while the agent is running; read its `runtime` to see whether that worked. A channel with `enabled: false` is a draft that may lack required fields.',
    guard: permitted,
    body: newChannel,
    response: { 201: channelRow },
    errors: ['CHANNEL_KIND_UNSUPPORTED', 'CHANNEL_NAME_TAKEN', 'ADDRESS_NOT_ALLOWED'],
    audit: { action: 'channel.create', target: 'id' },
  }).handle(async ({ agent, body }, { channels }) => channels.show(await channels.create(agent, body))),

  route({
    method: 'POST',
    path: `${PATH}/probe`,
    operation_id: 'probeChannel',
    summary: 'Test credentials of a platform',
    description:
      'Tests a `config` that need not be stored; nothing is sent to anybody. With `channel_id`, a masked secret means the one that is stored in this channel. A failed test is answered with 200 and `ok: false`.',
    guard: permitted,
    body: probeRequest,
    response: { 200: probeResult },
    errors: ['CHANNEL_KIND_UNSUPPORTED', 'NOT_FOUND'],
    audit: { none: 'It tests credentials and stores nothing.' },
  }).handle(async ({ agent, body }, { channels, channelProbe }) => {
    const { kind, config = {}, channel_id } = body
    const stored = channel_id === undefined ? undefined : await channels.get(agent, channel_id)
    return channelProbe.probe(kind, channels.resolveConfig(kind, config, stored))
  }),

  route({
    method: 'GET',
    path: `${PATH}/:cid`,
    operation_id: 'getChannel',
    summary: 'Get a channel',
    description:
      'Returns the channel with the state of its connection. Secrets are masked; a mask that is sent back keeps the stored secret.',
    guard: permitted,
    params: channelParams,
    response: { 200: channelRow },
    errors: ['NOT_FOUND'],
    etag: true,
  }).handle(async ({ agent, params }, cradle) =>
    showChannel(200, await cradle.channels.get(agent, params.cid), cradle),
  ),

  route({
    method: 'GET',
    path: `${PATH}/:cid/conversations`,
    operation_id: 'listConversations',
    summary: 'List the conversations of a channel',
    description:
      'Lists the conversations in which somebody has written to the bot, the latest first. The answers of schedules can be delivered to them.',
    guard: permitted,
    params: channelParams,
    query: objectOf(pageQuery),
    response: { 200: list(conversationRow) },
    errors: ['NOT_FOUND'],
  }).handle(async ({ agent, params, query }, { channels, conversations }) => {
    const channel = await channels.get(agent, params.cid)
    const { rows, next } = await conversations.list(channel, query)
    return pageReply(query, { rows: rows.map((row) => toConversationRow(row)), next })
  }),

  route({
    method: 'PATCH',
    path: `${PATH}/:cid`,
    operation_id: 'updateChannel',
    summary: 'Change a channel',
    description:
      'Changes the given fields. `config` is merged into the stored one by RFC 7396: fields that are left out keep their values, and null removes a field. A change of `config` or `enabled` connects the channel anew.',
    guard: permitted,
    params: channelParams,
    body: channelChanges,
    response: { 200: channelRow },
    errors: ['NOT_FOUND', 'CHANNEL_KIND_UNSUPPORTED', 'CHANNEL_NAME_TAKEN', 'ADDRESS_NOT_ALLOWED'],
    etag: true,
    audit: 'channel.update',
  }).handle(async (request, cradle) => {
    const { agent, params, body } = request
    return showChannel(200, await cradle.channels.update(agent, params.cid, body, request), cradle)
  }),

  route({
    method: 'DELETE',
    path: `${PATH}/:cid`,
    operation_id: 'deleteChannel',
    summary: 'Delete a channel',
    description:
      'Disconnects the channel immediately and deletes it. Conversations that came through it stay as threads.',
    guard: permitted,
    params: channelParams,
    response: { 204: null },
    errors: ['NOT_FOUND'],
    audit: 'channel.delete',
  }).handle(async ({ agent, params, note }, { channels }) => {
    note(await channels.remove(agent, params.cid))
  }),

  route({
    method: 'POST',
    path: `${PATH}/:cid/test`,
    operation_id: 'testChannel',
    summary: 'Test a channel',
    description:
      'Tests the stored credentials without disturbing the connection of the channel. A failed test is answered with 200 and `ok: false`.',
    guard: permitted,
    params: channelParams,
    response: { 200: probeResult },
    errors: ['NOT_FOUND', 'CHANNEL_KIND_UNSUPPORTED'],
    audit: { none: 'It tests credentials and stores nothing.' },
  }).handle(async ({ agent, params }, { channels, channelProbe }) =>
    channelProbe.test(await channels.get(agent, params.cid)),
  ),

  route({
    method: 'POST',
    path: `${PATH}/:kind/qrcode/generate`,
    operation_id: 'createChannelQrCode',
    summary: 'Create a QR code to link a platform',
    description:
      'Returns the content of a QR code for a person to scan with the app of the platform, and a token; an earlier code of yours for this agent and kind becomes invalid. Poll the outcome with the token. Depending on the kind, the scan returns credentials for `createChannel` or creates the channel automatically.',
    guard: permitted,
    params: kindParams,
    response: { 200: begunRegistration },
    errors: ['CHANNEL_KIND_UNSUPPORTED', 'CHANNEL_QR_UNSUPPORTED', 'CHANNEL_QR_FAILED'],
    audit: 'channel.qrcode',
  }).handle(async ({ agent, caller, params }, { registrations }) => {
    const { token, qrcode_url, gives } = await registrations.begin(agent, caller.id, params.kind)
    return gives === 'credentials'
      ? { qrcode_token: token, qrcode_url }
      : { registration_id: token, qrcode_url }
  }),

  route({
    method: 'POST',
    path: `${PATH}/:kind/qrcode/poll`,
    operation_id: 'pollChannelQrCode',
    summary: 'Get the outcome of a QR code',
    description:
      'Call it every few seconds with the token of the QR code until `status` is neither `pending` nor `waiting`. On success, the reply has either the credentials, with which you create the channel, or the `channel_id` of the channel that was created.',
    guard: permitted,
    params: kindParams,
    body: registrationToken,
    response: { 200: registrationStatus },
    errors: ['CHANNEL_KIND_UNSUPPORTED', 'CHANNEL_QR_UNSUPPORTED'],
    audit: { none: 'Clients poll it. The audited call that generated the QR code began the registration.' },
  }).handle(async ({ agent, caller, params, body, locale }, { registrations }) => {
    const token = (body.qrcode_token ?? body.registration_id)!
    const { gives, status, channel_id, config } = await registrations.poll(
      agent,
      caller.id,
      params.kind,
      token,
      locale,
    )
    if (gives === 'channel') return { status, ...(channel_id && { channel_id }) }
    return { status: CREDENTIAL_STATUS[status], ...config }
  }),
]

/** The status words on the wire for QR codes whose scan returns credentials. */
const CREDENTIAL_STATUS = {
  waiting: 'pending',
  success: 'success',
  expired: 'expired',
  failed: 'error',
} as const
