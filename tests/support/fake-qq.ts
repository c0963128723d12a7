import { randomBytes } from 'node:crypto'
import type { FakePlatform, Saying, SentFile, ShownMessage } from '../../plugin-api/testing/fake-platform.ts'
import { createFakeQqBind } from './fake-qq-bind.ts'
import { createFakeQqGateway, type FakeQqGateway } from './fake-qq-gateway.ts'
import { type QqReply, type QqRequest, refuse, startQqServer } from './fake-qq-http.ts'
import { createFakeQqMessages, type FakeQqMessages } from './fake-qq-messages.ts'

/** The controls that only this fake has. */
export interface FakeQq extends FakePlatform {
  expireTokens(): void
  scan(outcome: 'success' | 'expired' | 'failed'): void
  gateway: FakeQqGateway
  messages: FakeQqMessages
  /** Number of calls by path. */
  calls: Map<string, number>
  /** Validity of tokens issued from now on, in seconds. */
  tokenSeconds: { value: number }
  /** Where the gateway is said to be. */
  gatewayAddress: { value: string }
  /** Sends an event as it is. */
  tell(type: string, data: object): Promise<void>
  /** Answers no request any more. */
  silence(): void
  /** Texts that no log or error may contain: the secret, tokens, keys, and signatures of files. */
  secrets(): string[]
}

const APP_ID = '1020304050'
const WRONG_SECRET = 'not-the-secret'
const GROUP = 'crew'
/** Everybody's direct conversation is the same here: at QQ each has one of their own, under their own id. */
const DIRECT = 'ann'
const BOT = 'BOT0F1E2D3C4B5A69788796A5B4C3D2E1F0'

/** Starts QQ on loopback. */
export async function startFakeQq(): Promise<FakeQq> {
  const secret = `secret-${randomBytes(16).toString('hex')}`
  const signature = `rkey-${randomBytes(16).toString('hex')}`
  const tokens = new Set<string>()
  const issuedTokens: string[] = []
  const violations: string[] = []
  const calls = new Map<string, number>()
  const tokenSeconds = { value: 7200 }
  const files = new Map<string, SentFile>()
  const said = new Map<string, [string, object]>()
  const answers = new Map<string, (code: number) => void>()
  let isSilent = false
  let limited = 0
  let retryAfter = 0
  let faults = 0
  let count = 0

  const messages = createFakeQqMessages({ group: GROUP, violations })
  const bind = createFakeQqBind({ app_id: APP_ID, secret })
  const isToken = (header: unknown) => typeof header === 'string' && tokens.has(header.replace(/^QQBot /, ''))

  function giveToken({ body, headers }: QqRequest): QqReply {
    if (!headers.accept?.includes('application/json'))
      return { status: 200, body: { code: 100007, message: 'appid invalid' } }
    if (body.appId !== APP_ID || body.clientSecret !== secret)
      return { status: 200, body: { code: 100016, message: `invalid appid or secret ${body.clientSecret}` } }
    const kept = tokenSeconds.value > 60 && issuedTokens.find((token) => tokens.has(token))
    const access_token = kept || `token-${randomBytes(24).toString('hex')}`
    if (!kept) issuedTokens.push(access_token)
    tokens.add(access_token)
    return { status: 200, body: { access_token, expires_in: String(tokenSeconds.value) } }
  }

  function answerPress({ path, body }: QqRequest): QqReply {
    const id = decodeURIComponent(path.slice('/interactions/'.length))
    const answer = answers.get(id)
    if (!answer) violations.push(`an answer to ${id}, which nobody waits for`)
    answers.delete(id)
    answer?.(body.code)
    return { status: 200, body: {} }
  }

  /** Some of QQ's errors repeat what they were given. */
  function echo({ headers }: QqRequest, reply: QqReply): QqReply {
    const { message, ...body } = (reply.body ?? {}) as { message?: string }
    if (message === undefined) return reply
    const more = `${headers.authorization} http://127.0.0.1/?rkey=${signature}`
    return { ...reply, body: { ...body, message: `${message} ${more}` } }
  }

  const mayFail = (path: string) => /\/(messages|stream_messages|files)$/.test(path)

  function serve(request: QqRequest): QqReply | undefined {
    const { method, path, query, headers } = request
    calls.set(path, (calls.get(path) ?? 0) + 1)
    if (isSilent) return undefined
    if (path === '/app/getAppAccessToken') return giveToken(request)
    const bound = bind.serve(request)
    if (bound) return bound
    const file = files.get(path)
    if (file)
      return query.get('rkey') === signature
        ? { status: 200, bytes: file.bytes, headers: { 'content-type': file.media_type } }
        : { status: 403 }
    if (!headers.authorization?.startsWith('QQBot ')) return refuse(401, 11241, '参数中缺少 token')
    if (!isToken(headers.authorization))
      return refuse(401, 11244, `token not exist or expire: ${headers.authorization}`)
    if (mayFail(path) && limited > 0) {
      limited -= 1
      return { ...refuse(429, 22009, 'msg limit exceed'), headers: { 'retry-after': String(retryAfter) } }
    }
    if (mayFail(path) && faults > 0) {
      faults -= 1
      return faults % 2 === 0 ? refuse(500, 50055001, '消息发送异常，请稍后重试') : { status: 0, cut: true }
    }
    if (method === 'GET' && path === '/users/@me') return { status: 200, body: { id: BOT, username: 'Bot' } }
    if (method === 'GET' && path === '/gateway') return { status: 200, body: { url: gatewayAddress.value } }
    if (method === 'PUT' && path.startsWith('/interactions/')) return answerPress(request)
    return echo(request, messages.serve(request) ?? refuse(404, 0, 'not found'))
  }

  const { server, url, close } = await startQqServer(serve)
  const gatewayAddress = { value: `${url.replace('http', 'ws')}/websocket` }
  const gateway = createFakeQqGateway({ server, isToken, violations })

  /** The event of a saying; in the group it is the one for mentions where the bot is mentioned. */
  function eventOf(id: string, saying: Saying): [string, object] {
    const {
      text,
      place = 'direct',
      sender = 'ann',
      mention = true,
      file,
      quote,
      sent_at = Date.now(),
    } = saying
    const shared = {
      id,
      timestamp: new Date(sent_at).toISOString(),
      message_type: quote === undefined ? 0 : 103,
      message_scene: { source: 'default', ext: ['msg_idx=REFIDX_1=='] },
      ...(quote !== undefined && { msg_elements: [{ msg_idx: 'REFIDX_0==', content: quote }] }),
      ...(file && { attachments: [attach(file)] }),
    }
    if (place === 'direct')
      return ['C2C_MESSAGE_CREATE', { ...shared, content: text, author: { id: sender, user_openid: DIRECT } }]
    const author = { id: sender, member_openid: sender, username: sender, bot: false, member_role: 'member' }
    const group = { ...shared, author, group_id: GROUP, group_openid: GROUP }
    if (!mention) return ['GROUP_MESSAGE_CREATE', { ...group, content: text, mentions: [] }]
    const mentions = [{ id: BOT, member_openid: BOT, username: 'Bot', bot: true, is_you: true }]
    return ['GROUP_AT_MESSAGE_CREATE', { ...group, content: `<@${BOT}> ${text}`, mentions }]
  }

  function attach(file: SentFile): object {
    count += 1
    const path = `/download/${count}`
    files.set(path, file)
    const { filename, media_type: content_type, bytes } = file
    return { url: `${url}${path}?appid=1406&rkey=${signature}`, filename, content_type, size: bytes.length }
  }

  async function press(message_id: string, label: string, sender = 'ann'): Promise<string | undefined> {
    const message = messages.sent.find(({ id }) => id === message_id)
    const button = message?.drawn.find(({ render_data }) => isLabel(render_data.label, label))
    if (!message || !button) throw new Error(`there is no button "${label}"`)
    const { type, specify_user_ids = [] } = button.action.permission
    if (type === 0 && !specify_user_ids.includes(sender)) return '暂无操作权限'
    count += 1
    const id = `interaction-${count}`
    const event_id = `INTERACTION_CREATE:${id}`
    messages.ask(event_id, message.place)
    const answered = new Promise<number>((resolve) => answers.set(id, resolve))
    const isGroup = message.place === 'group'
    const pressed = {
      id,
      type: 11,
      scene: isGroup ? 'group' : 'c2c',
      chat_type: isGroup ? 1 : 2,
      timestamp: new Date().toISOString(),
      ...(isGroup ? { group_openid: GROUP, group_member_openid: sender } : { user_openid: sender }),
      data: { type: 11, resolved: { button_id: '1', button_data: button.action.data } },
      version: 1,
      application_id: APP_ID,
    }
    const dispatched = gateway.dispatch('INTERACTION_CREATE', pressed, event_id)
    const code = await answered
    await dispatched
    if (code !== 0) return '操作失败'
    const at = message.drawn.indexOf(button)
    message.buttons[at] = button.render_data.visited_label
    // QQ shows no notice of its own; the bot may answer the event with a message.
    return messages.sent.find((sent) => sent.event_id === event_id)?.text
  }

  return {
    endpoints: { api: url, auth: url, bind: url },
    config: { app_id: APP_ID, secret },
    wrong_config: { app_id: APP_ID, secret: WRONG_SECRET },
    gateway,
    messages,
    calls,
    tokenSeconds,
    gatewayAddress,
    violations,
    async say(saying) {
      count += 1
      const id = saying.id ?? `ROBOT1.0_said${count}`
      const event = eventOf(id, saying)
      said.set(id, event)
      messages.ask(id, saying.place ?? 'direct')
      await gateway.dispatch(...event)
      return id
    },
    redeliver: (id) => gateway.dispatch(...said.get(id)!),
    tell: (type, data) => gateway.dispatch(type, data),
    shown: (place) => messages.sent.filter((message) => !place || message.place === place).map(toShown),
    press,
    connections: gateway.connections,
    drop: gateway.drop,
    limitRate(calls, retry_after_seconds) {
      limited = calls
      retryAfter = retry_after_seconds
    },
    fail(calls) {
      faults = calls
    },
    expireTokens: () => tokens.clear(),
    // The bot shows none: at QQ it would use up one of the few answers.
    typings: () => 0,
    scan: bind.scan,
    silence() {
      isSilent = true
    },
    secrets: () => [secret, WRONG_SECRET, signature, ...issuedTokens, ...bind.keys()],
    async close() {
      await gateway.close()
      await close()
    },
  }
}

/** Long labels are cut before QQ gets them. */
const isLabel = (drawn: string, label: string) =>
  drawn === label || (drawn.endsWith('…') && label.startsWith(drawn.slice(0, -1)))

const toShown = ({ id, place, text, history, is_live, buttons, file }: ShownMessage): ShownMessage => ({
  id,
  place,
  text,
  history: [...history],
  is_live,
  buttons: [...buttons],
  ...(file && { file }),
})
