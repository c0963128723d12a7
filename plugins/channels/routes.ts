import { objectOf } from '#kernel'
import { makeTag, pageQuery, pageReply, replyWithTag } from '#toolbox'
import { channelFields } from './channels.ts'
import type { ChannelDocument } from './documents.ts'
import { type Cradle, route } from './manifest.ts'
import {
  begunRegistration,
  channelChanges,
  channelRow,
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

/** The routes of channels under `/agents/:id/channels`, and the list of kinds. */
export const channelRoutes = [
  route({
    method: 'GET',
    path: '/channels/kinds',
    operation_id: 'listChannelKinds',
    summary: 'The known kinds of channels',
    guard: 'user',
    response: { 200: list(kindRow) },
  }).handle(({ locale }, { channelKinds }) => channelKinds.list(locale)),

  route({
    method: 'GET',
    path: PATH,
    operation_id: 'listChannels',
    summary: 'The channels of an agent',
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
    summary: 'Link an agent to a messaging platform',
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
    summary: 'Test credentials that may not be stored yet',
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
    summary: 'One channel',
    guard: permitted,
    response: { 200: channelRow },
    errors: ['NOT_FOUND'],
    etag: true,
  }).handle(async ({ agent, params }, cradle) =>
    showChannel(200, await cradle.channels.get(agent, params.cid!), cradle),
  ),

  route({
    method: 'PATCH',
    path: `${PATH}/:cid`,
    operation_id: 'updateChannel',
    summary: 'Change a channel; a config is merged into the old one, and null removes a field',
    guard: permitted,
    body: channelChanges,
    response: { 200: channelRow },
    errors: ['NOT_FOUND', 'CHANNEL_KIND_UNSUPPORTED', 'CHANNEL_NAME_TAKEN', 'ADDRESS_NOT_ALLOWED'],
    etag: true,
    audit: 'channel.update',
  }).handle(async (request, cradle) => {
    const { agent, params, body } = request
    return showChannel(200, await cradle.channels.update(agent, params.cid!, body, request), cradle)
  }),

  route({
    method: 'DELETE',
    path: `${PATH}/:cid`,
    operation_id: 'deleteChannel',
    summary: 'Disconnect a channel at once and delete it',
    guard: permitted,
    response: { 204: null },
    errors: ['NOT_FOUND'],
    audit: 'channel.delete',
  }).handle(async ({ agent, params }, { channels }) => void (await channels.remove(agent, params.cid!))),

  route({
    method: 'POST',
    path: `${PATH}/:cid/test`,
    operation_id: 'testChannel',
    summary: 'Test a channel without disturbing its connection',
    guard: permitted,
    response: { 200: probeResult },
    errors: ['NOT_FOUND', 'CHANNEL_KIND_UNSUPPORTED'],
    audit: { none: 'It tests credentials and stores nothing.' },
  }).handle(async ({ agent, params }, { channels, channelProbe }) =>
    channelProbe.test(await channels.get(agent, params.cid!)),
  ),

  route({
    method: 'POST',
    path: `${PATH}/:kind/qrcode/generate`,
    operation_id: 'createChannelQrCode',
    summary: 'Get a QR code whose scan links the agent to a platform',
    guard: permitted,
    response: { 200: begunRegistration },
    errors: ['CHANNEL_KIND_UNSUPPORTED', 'CHANNEL_QR_UNSUPPORTED', 'CHANNEL_QR_FAILED'],
    audit: 'channel.qrcode',
  }).handle(async ({ agent, caller, params }, { registrations }) => {
    const { token, qrcode_url, gives } = await registrations.begin(agent, caller.id, params.kind!)
    return gives === 'credentials'
      ? { qrcode_token: token, qrcode_url }
      : { registration_id: token, qrcode_url }
  }),

  route({
    method: 'POST',
    path: `${PATH}/:kind/qrcode/poll`,
    operation_id: 'pollChannelQrCode',
    summary: 'Get the status of a scan',
    guard: permitted,
    body: registrationToken,
    response: { 200: registrationStatus },
    errors: ['CHANNEL_KIND_UNSUPPORTED', 'CHANNEL_QR_UNSUPPORTED'],
    audit: { none: 'Clients poll it. The audited call that generated the QR code began the registration.' },
  }).handle(async ({ agent, caller, params, body, locale }, { registrations }) => {
    const token = (body.qrcode_token ?? body.registration_id)!
    const { gives, status, channel_id, config } = await registrations.poll(
      agent,
      caller.id,
      params.kind!,
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
