import { AppError, reply } from '#plugin-api'
import { type Cradle, route } from './manifest.ts'

/** The largest request that a platform may send, in bytes. */
const MAX_BYTES = 1024 * 1024

const spec = {
  path: '/hooks/:channel_id',
  guard: 'public',
  params: {
    type: 'object',
    properties: { channel_id: { type: 'string', description: 'The id of a channel' } },
  },
  raw: { max_bytes: MAX_BYTES },
  response: { 200: {}, 202: {} },
  errors: ['NOT_FOUND', 'AUTH_FAILED', 'BAD_JSON', 'VALIDATION_FAILED'],
} as const

/** The part of a request that the handlers use. */
interface Hooked {
  params: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string | string[] | undefined>>
  query: Readonly<Record<string, string>>
  bytes: Uint8Array
}

/** Passes a platform's request to the kind of its channel, in any server process. */
async function callHook(
  method: string,
  { params, headers, query, bytes }: Hooked,
  { collections, channelKinds, channelConfigs, platforms, intake, supervisor }: Cradle,
) {
  const channel = await collections.channels.findOne({ _id: params.channel_id!, enabled: true })
  const kind = channel && channelKinds.find(channel.kind)
  if (!channel || !kind?.hook) throw new AppError('NOT_FOUND')
  const config = channelConfigs.open(channel)
  try {
    kind.assertComplete(config)
  } catch (error) {
    throw new AppError('NOT_FOUND', {}, { cause: error })
  }
  const inbox = intake.openInbox(channel, (conversation_id, urgent) =>
    supervisor.wake(channel._id, conversation_id, urgent),
  )
  const single = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ])
  const request = { method, headers: Object.fromEntries(single), query, body: bytes }
  const answer = await kind.hook({ config, ...platforms.reach(kind) }, inbox, request)
  return reply(answer.status as 200 | 202, answer.body ?? '', answer.headers)
}

/** The routes that platforms call. */
export const hookRoutes = [
  route({
    ...spec,
    method: 'POST',
    operation_id: 'receiveHook',
    summary: 'Receive an event from a platform',
    description:
      'The address that you enter at the platform of a channel. The body is whatever the platform sends; requests that do not bear its signature or secret are refused. The reply is what the platform expects, so its form depends on the kind of the channel.',
    audit: { none: 'A platform calls it. Messages from people are in the conversations.' },
  }).handle((request, cradle) => callHook('POST', request, cradle)),
  route({
    ...spec,
    method: 'GET',
    operation_id: 'answerHook',
    summary: 'Answer a check by a platform',
    description:
      'Some platforms check the address of a channel with a GET request before they send events to it. The reply is what the platform expects.',
  }).handle((request, cradle) => callHook('GET', request, cradle)),
]
