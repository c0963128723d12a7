import { ChannelFailure, toScalarText } from '#plugin-api'
import type { Api } from './api.ts'
import type { DingtalkConfig } from './config.ts'
import { toRefusal } from './failure.ts'

/** The topic of messages from people. */
export const MESSAGE_TOPIC = '/v1.0/im/bot/messages/get'

/** The topic of actions on cards. They are only acknowledged, because our cards have no actions. */
const CARD_TOPIC = '/v1.0/card/instances/callback'

/** Requests the address for one socket; its ticket is a secret. */
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
    const refusal = toRefusal(answer, 'the connection')
    // With correct credentials this means: no robot, not published, or not in Stream mode.
    if (answer.status < 500 && ['unknown', 'not_found'].includes(refusal.reason))
      throw new ChannelFailure(
        'forbidden',
        `DingTalk refused the connection (${refusal.code || `HTTP ${answer.status}`}). The app needs a robot in Stream mode, and must be published.`,
      )
    throw refusal
  }
  const endpoint = toScalarText(answer.body.endpoint)
  const ticket = toScalarText(answer.body.ticket)
  if (!URL.canParse(endpoint) || !ticket)
    throw new ChannelFailure('unknown', 'DingTalk answered without an address to connect to.')
  const address = new URL(endpoint)
  // An unencrypted ticket is accepted only if the API itself is reached without encryption, as in tests.
  if (address.protocol !== 'wss:' && !(address.protocol === 'ws:' && isPlain(api, address)))
    throw new ChannelFailure('unknown', 'DingTalk returned an address without encryption.')
  address.searchParams.set('ticket', ticket)
  return address
}

function isPlain(api: string, { hostname }: URL): boolean {
  const own = new URL(api)
  return own.protocol === 'http:' && own.hostname === hostname
}
