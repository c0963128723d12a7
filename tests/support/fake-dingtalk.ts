import { randomBytes } from 'node:crypto'
import type { FakePlatform, Saying, SentFile } from '../../plugin-api/testing/fake-platform.ts'
import { createFakeCards } from './fake-dingtalk-cards.ts'
import {
  type FakeAnswer,
  type FakeCall,
  type FakeHttp,
  type FakeRoutes,
  startFakeHttp,
} from './fake-dingtalk-http.ts'
import { createFakeMessages } from './fake-dingtalk-messages.ts'
import { createFakeRegistration, type FakeRegistration } from './fake-dingtalk-registration.ts'
import { createFakeStream, type FakeStream } from './fake-dingtalk-stream.ts'

/** The conversations, and the bot as it is mentioned in the group. */
const DIRECT = 'cidFakeDirect0001=='
const GROUP = 'cidFakeGroup0001=='
const BOT = '$:LWCP_v1:$fakebot'

/** The fake, and what only DingTalk has. */
export interface FakeDingtalk extends FakePlatform {
  http: FakeHttp
  stream: FakeStream
  registration: Pick<FakeRegistration, 'lastCode' | 'failPolls'>
  /** All that nobody but the bot may see. */
  secrets(): string[]
  /** Number of issued access tokens. */
  tokensGiven(): number
  /** Refuses the addresses for answers that were given out so far. */
  expireSessions(): void
  /** Delivers a message with these fields. */
  deliver(fields: object): Promise<void>
  /** The card template of the app. */
  template: { isPublished: boolean }
  /** Answers the next calls of a path with this instead. */
  answerNext(call: string, answer: FakeAnswer): void
}

/** Starts a fake of DingTalk. Senders called `guest…` belong to no organization. */
export async function startFakeDingtalk(): Promise<FakeDingtalk> {
  const violations: string[] = []
  const config = {
    client_id: 'dingfakeapp00000001',
    client_secret: `secret-${randomBytes(16).toString('hex')}`,
    card_template_id: 'fake-0001.schema',
  }
  const tokens = new Set<string>()
  const planted = new Set<string>([config.client_secret])
  const secret = () => {
    const made = randomBytes(16).toString('hex')
    planted.add(made)
    return made
  }
  let tokenCount = 0
  let limited = 0
  let failing = 0
  const media = new Map<string, SentFile>()
  const files = new Map<string, SentFile>()
  const said = new Map<string, object>()
  const overrides = new Map<string, FakeAnswer[]>()
  const isStaff = (id: string) => /^\w/.test(id) && !id.startsWith('guest')

  const stream = createFakeStream(violations)
  const registration = createFakeRegistration(config)

  function faultOf(isOld: boolean): FakeAnswer | undefined {
    if (limited > 0) {
      limited -= 1
      if (isOld) return { body: { errcode: 90018, errmsg: '您的服务器调用钉钉开放平台接口过于频繁' } }
      return { status: 403, body: { code: 'Forbidden.AccessDenied.QpsLimitForAppkeyAndApi', message: 'qps' } }
    }
    if (failing === 0) return undefined
    failing -= 1
    return { status: 503, body: { code: 'ServiceUnavailable', message: 'The service is unavailable.' } }
  }

  const refusalOf = ({ headers }: FakeCall): FakeAnswer | undefined =>
    tokens.has(String(headers['x-acs-dingtalk-access-token']))
      ? undefined
      : { status: 400, body: { code: 'InvalidAuthentication', message: '不合法的access_token' } }

  const rules = { client_id: config.client_id, group: GROUP, violations, faultOf, refusalOf, isStaff }
  const messages = createFakeMessages({ ...rules, media })
  const template = { id: config.card_template_id, key: 'content', isPublished: true }
  const isApp = (id: unknown, password: unknown) =>
    id === config.client_id && password === config.client_secret

  const routes: FakeRoutes = {
    ...messages.routes,
    ...createFakeCards({ ...rules, template, messages }),
    ...registration.routes,

    'POST /v1.0/oauth2/accessToken'({ body }) {
      if (!isApp(body.appKey, body.appSecret))
        return { status: 400, body: { code: 'invalidClientIdOrSecret', message: '无效的clientId' } }
      tokenCount += 1
      const accessToken = secret()
      tokens.add(accessToken)
      return { body: { accessToken, expireIn: 7200 } }
    },

    'POST /v1.0/gateway/connections/open'({ body, headers }) {
      if (!isApp(body.clientId, body.clientSecret))
        return { status: 401, body: { code: 'authFailed', message: '鉴权失败' } }
      if (headers.accept !== 'application/json') return { body: Buffer.from('<xml/>') }
      const topics = body.subscriptions?.map(({ topic }: { topic: string }) => topic) ?? []
      if (!topics.includes('/v1.0/im/bot/messages/get')) violations.push('messages are not subscribed to')
      const ticket = stream.ticket()
      planted.add(ticket)
      return { body: { endpoint: `${http.url.replace('http', 'ws')}/connect`, ticket } }
    },

    'POST /v1.0/robot/messageFiles/download'(call) {
      const { downloadCode, robotCode } = call.body
      const refusal = refusalOf(call)
      if (refusal) return refusal
      if (!files.has(downloadCode) || robotCode !== config.client_id)
        return { status: 400, body: { code: 'invalidParameter.downloadCode', message: 'downloadCode' } }
      return { body: { downloadUrl: `${http.url}/files/${downloadCode}?signature=${secret()}` } }
    },

    'GET /files/*'({ query, path }) {
      const file = planted.has(query.get('signature') ?? '') && files.get(path.slice('/files/'.length))
      if (!file) return { status: 403, body: Buffer.from('<Error>SignatureDoesNotMatch</Error>') }
      return { headers: { 'content-type': file.media_type }, body: Buffer.from(file.bytes) }
    },

    async 'POST /media/upload'({ query, headers, bytes }) {
      const fail = (errcode: number, errmsg: string) => ({ body: { errcode, errmsg } })
      if (!tokens.has(query.get('access_token') ?? '')) return fail(40014, '不合法的access_token')
      const type = query.get('type')
      const form = await new Response(new Uint8Array(bytes), {
        headers: { 'content-type': String(headers['content-type']) },
      }).formData()
      const file = form.get('media')
      if (!file || typeof file === 'string') return fail(40035, 'media missing')
      if (type !== 'file' && type !== 'image') return fail(40004, 'type')
      const media_id = `@${randomBytes(8).toString('hex')}`
      media.set(media_id, {
        filename: file.name,
        media_type: file.type,
        bytes: new Uint8Array(await file.arrayBuffer()),
      })
      return { body: { errcode: 0, errmsg: 'ok', media_id, type, created_at: Date.now() } }
    },
  }
  for (const [name, handle] of Object.entries(routes))
    routes[name] = (call) => overrides.get(name)?.shift() ?? handle(call)
  const http = await startFakeHttp(routes, stream.upgrade)

  /** Returns the fields of a file message; only pictures and voices can have a text. */
  function contentOf(file: SentFile, text: string): object {
    const downloadCode = randomBytes(12).toString('hex')
    files.set(downloadCode, file)
    const [sort] = file.media_type.split('/')
    if (sort === 'image' && text)
      return { msgtype: 'richText', content: { richText: [{ text }, { type: 'picture', downloadCode }] } }
    if (sort === 'image') return { msgtype: 'picture', content: { downloadCode } }
    if (sort === 'audio')
      return { msgtype: 'audio', content: { downloadCode, duration: 1200, recognition: text } }
    if (sort === 'video')
      return { msgtype: 'video', content: { downloadCode, duration: 1200, videoType: 'mp4' } }
    return { msgtype: 'file', content: { downloadCode, fileName: file.filename, fileId: '1', spaceId: '2' } }
  }

  function fieldsOf({ place = 'direct', sender = 'ann', id, sent_at, ...saying }: Saying) {
    const session = secret()
    const expires = Date.now() + 90 * 60_000
    messages.sessions.set(session, { place, expires })
    const isGroup = place === 'group'
    const quoted = saying.quote && {
      isReplyMsg: true,
      repliedMsg: { msgType: 'text', msgId: 'msgQuoted', content: { text: saying.quote } },
    }
    const fields = {
      conversationId: isGroup ? GROUP : DIRECT,
      conversationType: isGroup ? '2' : '1',
      ...(isGroup && {
        conversationTitle: 'Fake group',
        atUsers: [{ dingtalkId: BOT }],
        isInAtList: true,
      }),
      chatbotCorpId: 'dingfakecorp',
      chatbotUserId: BOT,
      msgId: id ?? `msg${randomBytes(12).toString('base64')}`,
      senderNick: sender.replace(/^./, (first) => first.toUpperCase()),
      isAdmin: false,
      ...(isStaff(sender) && { senderStaffId: sender }),
      senderId: isStaff(sender) ? `$:LWCP_v1:$${sender}` : sender,
      sessionWebhookExpiredTime: expires,
      sessionWebhook: `${http.url}/robot/sendBySession?session=${session}`,
      createAt: sent_at ?? Date.now(),
      robotCode: config.client_id,
      ...(saying.file
        ? contentOf(saying.file, saying.text)
        : // A client leaves the mention out, but not the blank behind it.
          { msgtype: 'text', text: { content: isGroup ? ` ${saying.text}` : saying.text, ...quoted } }),
    }
    said.set(fields.msgId, fields)
    return { session, fields }
  }

  return {
    endpoints: { api: http.url, oapi: http.url },
    config,
    wrong_config: { ...config, client_secret: 'not-the-secret' },
    http,
    stream,
    registration,
    template,
    violations,
    secrets: () => [...planted, registration.lastCode()].filter(Boolean),
    tokensGiven: () => tokenCount,
    deliver: (fields) => stream.deliver({ ...fieldsOf({ text: '' }).fields, ...fields }),
    expireSessions: () => messages.sessions.clear(),
    answerNext: (call, answer) => void overrides.set(call, [...(overrides.get(call) ?? []), answer]),

    async say(saying) {
      const { fields } = fieldsOf(saying)
      // DingTalk keeps what does not mention the bot to itself.
      if (saying.place !== 'group' || saying.mention !== false) await stream.deliver(fields)
      return fields.msgId
    },

    redeliver: (id) => stream.deliver(said.get(id)!),
    shown: (place) => messages.shown.filter((message) => !place || message.place === place),

    async press(message_id, label, sender) {
      const message = messages.shown.find(({ id }) => id === message_id)!
      const text = messages.textOfButton(message, label)
      const { session, fields } = fieldsOf({ text, place: message.place, ...(sender && { sender }) })
      const notice = messages.answerTo(session)
      await Promise.all([stream.deliver(fields), notice])
      return notice
    },

    connections: stream.connections,
    drop: stream.drop,
    limitRate(calls) {
      limited = calls
    },
    fail(calls) {
      failing = calls
    },
    expireTokens: () => tokens.clear(),
    typings: () => 0,
    scan: registration.scan,

    async close() {
      stream.close()
      await http.close()
    },
  }
}
