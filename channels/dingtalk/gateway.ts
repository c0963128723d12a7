import { ChannelFailure } from '#plugin-api'
import type { Api } from './api.ts'
import type { DingtalkConfig } from './config.ts'
import { refusalOf } from './failure.ts'
import { textOf } from './wire-value.ts'

/** The topic of what people write. */
export const MESSAGE_TOPIC = '/v1.0/im/bot/messages/get'

/** The topic of what people do with cards; only acknowledged, as cards are for showing here. */
const CARD_TOPIC = '/v1.0/card/instances/callback'

/** Where a socket is to connect to, once; the ticket in it is a secret. */
export async function locateGateway(
  { api, request }: Api,
  config: DingtalkConfig,
  signal?: AbortSignal,
): Promise<URL> {
  const answer = await request(`${api}/v1.0/gateway/connections/open`, {
    body: {
      clientId: config.client_id,
      clientSecret: config.client_secret,
      ua: 'svc',
      subscriptions: [MESSAGE_TOPIC, CARD_TOPIC].map((topic) => ({ type: 'CALLBACK', topic })),
    },
    signal,
  })
  if (answer.status !== 200) {
    const refusal = refusalOf(answer, 'the connection')
    // The credentials are right: then the app has no robot, it is not published, or it does not use Stream mode.
    if (answer.status < 500 && ['unknown', 'not_found'].includes(refusal.reason))
      throw new ChannelFailure(
        'forbidden',
        `DingTalk refuses the connection (${refusal.code || `HTTP ${answer.status}`}). The app needs a robot in Stream mode, and must be published.`,
      )
    throw refusal
  }
  const endpoint = textOf(answer.body.endpoint)
  const ticket = textOf(answer.body.ticket)
  if (!URL.canParse(endpoint) || !ticket)
    throw new ChannelFailure('unknown', 'DingTalk has answered without an address to connect to.')
  const address = new URL(endpoint)
  // A ticket in the clear is for a platform that is itself reached so, as in a test.
  if (address.protocol !== 'wss:' && !(address.protocol === 'ws:' && isPlain(api, address)))
    throw new ChannelFailure('unknown', 'DingTalk names an address that is not encrypted.')
  address.searchParams.set('ticket', ticket)
  return address
}

function isPlain(api: string, { hostname }: URL): boolean {
  const own = new URL(api)
  return own.protocol === 'http:' && own.hostname === hostname
}
