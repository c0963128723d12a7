import type { FakePlatform } from '../../plugin-api/testing/fake-platform.ts'
import type { FaultyAnswer, PlatformCall } from './channel-faults-relay.ts'
import { startFakeDingtalk } from './fake-dingtalk.ts'
import { startFakeDiscord } from './fake-discord.ts'
import { startFakeFeishu } from './fake-feishu.ts'
import { startFakeQq } from './fake-qq.ts'
import { startFakeSlack } from './fake-slack.ts'
import { startFakeTelegram } from './fake-telegram.ts'
import { startFakeWebhook } from './fake-webhook.ts'
import { startFakeWeCom } from './fake-wecom.ts'

/** The channel kinds of the matrix. */
export const KINDS = ['telegram', 'discord', 'slack', 'feishu', 'wecom', 'dingtalk', 'qq', 'webhook'] as const
export type Kind = (typeof KINDS)[number]

/** Something that the bot does to a message. */
export type Action = 'first' | 'edit' | 'approval' | 'file'

/** Refusals that every vendor writes in a form of its own. */
export type Refusal = 'limited for 1 s' | 'limited' | '4xx' | '5xx'

/** The subset of a platform's protocol that faults need. */
export interface Vendor {
  start(): Promise<FakePlatform>
  /** The calls that change a live message, and those that carry a file; the others that send are recognized by their text. */
  calls: Record<'edit' | 'file', (call: PlatformCall) => boolean>
  refusals: Record<Refusal, (call: PlatformCall) => FaultyAnswer>
  /** Actions that the kind does in another way at once if they are refused; nothing is counted as a refusal then. */
  replaced?: readonly Action[]
  /** Actions whose repetition the platform does not recognize: if the answer is lost, the message may be there twice. */
  unrecognized?: readonly Action[]
}

const json = (status: number, body: object, headers: Record<string, string> = {}): FaultyAnswer => ({
  status,
  headers,
  body: JSON.stringify(body),
})

const page = (status: number): FaultyAnswer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><body>${status}</body></html>`,
})

const seconds = { 'retry-after': '1' }

/** Confirms a frame of WeCom with an error code. */
const confirmWith =
  (errcode: number) =>
  ({ body }: PlatformCall): FaultyAnswer => ({
    body: JSON.stringify({
      headers: { req_id: JSON.parse(body).headers.req_id },
      errcode,
      errmsg: 'refused',
    }),
  })

/** DingTalk's reply webhooks answer refusals with status 200 and a number. */
const isSession = ({ path }: PlatformCall) => path.includes('sendBySession')

/** The platforms by kind. The refusals of `4xx` have a code that no list of the kind has. */
export const VENDORS: Record<Kind, Vendor> = {
  telegram: {
    start: startFakeTelegram,
    calls: {
      edit: ({ path }) => path.endsWith('/editMessageText'),
      file: ({ path }) => path.endsWith('/sendDocument'),
    },
    refusals: {
      'limited for 1 s': () =>
        json(429, {
          ok: false,
          error_code: 429,
          description: 'Too Many Requests: retry after 1',
          parameters: { retry_after: 1 },
        }),
      limited: () => json(429, { ok: false, error_code: 429, description: 'Too Many Requests' }),
      '4xx': () => json(400, { ok: false, error_code: 400, description: 'Bad Request: BRAND_NEW_REFUSAL' }),
      '5xx': () => page(502),
    },
    unrecognized: ['first', 'approval', 'file'],
  },
  discord: {
    start: startFakeDiscord,
    calls: {
      edit: ({ method }) => method === 'PATCH',
      file: ({ body }) => body.includes('filename="'),
    },
    refusals: {
      'limited for 1 s': () =>
        json(429, { message: 'You are being rate limited.', retry_after: 1, global: false }, seconds),
      limited: () => page(429),
      '4xx': () => json(400, { message: 'A brand new refusal', code: 59_999 }),
      '5xx': () => page(503),
    },
  },
  slack: {
    start: startFakeSlack,
    calls: {
      edit: ({ path }) => path.endsWith('/chat.update'),
      file: ({ path }) => path.endsWith('/files.completeUploadExternal'),
    },
    refusals: {
      'limited for 1 s': () => json(429, { ok: false, error: 'ratelimited' }, seconds),
      limited: () => json(429, { ok: false, error: 'ratelimited' }),
      '4xx': () => json(200, { ok: false, error: 'brand_new_refusal' }),
      '5xx': () => page(503),
    },
    unrecognized: ['file'],
  },
  feishu: {
    start: startFakeFeishu,
    calls: {
      edit: ({ method, path }) => method === 'PUT' && path.includes('/cardkit/v1/cards/'),
      file: ({ body }) => body.includes('"msg_type":"file"'),
    },
    refusals: {
      'limited for 1 s': () =>
        json(
          400,
          { code: 99991400, msg: 'request trigger frequency limit' },
          { 'x-ogw-ratelimit-reset': '1' },
        ),
      limited: () => json(429, { code: 99991400, msg: 'request trigger frequency limit' }),
      '4xx': () => json(400, { code: 239_999, msg: 'a brand new refusal' }),
      '5xx': () => page(502),
    },
  },
  wecom: {
    start: startFakeWeCom,
    calls: {
      edit: ({ path, body }) => path === 'aibot_respond_msg' && body.includes('"msgtype":"stream"'),
      file: ({ body }) => body.includes('"msgtype":"file"'),
    },
    // WeCom states no duration.
    refusals: {
      'limited for 1 s': confirmWith(45009),
      limited: confirmWith(6000),
      '4xx': confirmWith(849_999),
      '5xx': confirmWith(-1),
    },
    replaced: ['edit'],
    unrecognized: ['approval', 'file'],
  },
  dingtalk: {
    start: startFakeDingtalk,
    calls: {
      edit: ({ method, path }) => method === 'PUT' && path === '/v1.0/card/streaming',
      file: ({ path, body }) => path.startsWith('/v1.0/robot/') && body.includes('sampleFile'),
    },
    refusals: {
      'limited for 1 s': () => json(429, { code: 'brand.new.limit', message: 'later' }, seconds),
      limited: (call) =>
        isSession(call)
          ? json(200, { errcode: 90018, errmsg: 'too often' })
          : json(403, { code: 'Forbidden.AccessDenied.QpsLimitForAppkeyAndApi', message: 'too often' }),
      '4xx': (call) =>
        isSession(call)
          ? json(200, { errcode: 399_999, errmsg: 'a brand new refusal' })
          : json(400, { code: 'brand.new.refusal', message: 'a brand new refusal' }),
      '5xx': () => json(503, { code: 'ServiceUnavailable', message: 'The service is unavailable.' }),
    },
    unrecognized: ['first', 'approval', 'file'],
  },
  qq: {
    start: startFakeQq,
    calls: {
      edit: ({ path }) => path.endsWith('/stream_messages'),
      file: ({ path, body }) => path.endsWith('/messages') && body.includes('"msg_type":7'),
    },
    refusals: {
      'limited for 1 s': () => json(429, { code: 22_009, message: 'too often' }, seconds),
      limited: () => json(429, { message: 'too often' }),
      '4xx': () => json(400, { code: 49_999_999, message: 'a brand new refusal' }),
      '5xx': () => page(504),
    },
  },
  webhook: {
    start: startFakeWebhook,
    calls: {
      edit: ({ body }) => body.includes('"type":"message.update"'),
      file: ({ body }) => body.includes('"type":"file"'),
    },
    refusals: {
      'limited for 1 s': () => json(429, {}, seconds),
      limited: () => json(429, {}),
      '4xx': () => json(418, { error: 'a brand new refusal' }),
      '5xx': () => page(503),
    },
  },
}
