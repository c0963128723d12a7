import { AppError, reply } from '#kernel'
import { type Cradle, route } from './manifest.ts'

/** The largest request that a platform may send, in bytes. */
const MAX_BYTES = 1024 * 1024

const spec = {
  path: '/hooks/:channel_id',
  guard: 'public',
  raw: { max_bytes: MAX_BYTES },
  response: { 200: { type: 'string' } },
  errors: ['NOT_FOUND'],
} as const

/** A request as a handler of these routes sees it. */
interface Hooked {
  params: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string | string[] | undefined>>
  query: Readonly<Record<string, string>>
  bytes: Uint8Array
}

/** Hands a request of a platform to the kind of its channel, in whichever process it arrives. */
async function handOver(
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
  const inbox = intake.of(channel, (conversation_id, urgent) =>
    supervisor.wake(channel._id, conversation_id, urgent),
  )
  const single = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ])
  const request = { method, headers: Object.fromEntries(single), query, body: bytes }
  const answer = await kind.hook({ config, ...platforms.reach(kind) }, inbox, request)
  return reply(answer.status as 200, answer.body ?? '', answer.headers)
}

/** The routes by which platforms call this server. */
export const hookRoutes = [
  route({
    ...spec,
    method: 'POST',
    summary: 'What a platform tells a channel',
    audit: { none: 'It is a platform that calls. What people say there is in the conversations.' },
  }).handle((request, cradle) => handOver('POST', request, cradle)),
  route({ ...spec, method: 'GET', summary: 'What a platform asks a channel' }).handle((request, cradle) =>
    handOver('GET', request, cradle),
  ),
]
