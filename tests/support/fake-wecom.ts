import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import type { FakePlatform, Place, Saying } from '../../plugin-api/testing/fake-platform.ts'
import { type Body, type Conversation, createBoard, Refusal } from './fake-wecom-board.ts'
import { createMedia } from './fake-wecom-media.ts'
import { createRegistrations } from './fake-wecom-registration.ts'
import { createSockets } from './fake-wecom-socket.ts'

const ROBOT = { bot_id: 'aib-fake-robot', secret: 'wecom-secret-Zk3vQ9' }
const NAME = 'Robo'
const GROUP = 'wrGroup1'

/** A card can be changed for so long after somebody pressed a button of it. */
const CHANGE_MS = 5000

/** WeCom on loopback, and how to make it behave badly. */
interface FakeWeCom extends FakePlatform {
  /** The commands of the bot in their order. */
  seen: readonly string[]
  /** Messages so far can no longer be answered. */
  expireAnswers(): void
  /** Streams so far can no longer be changed. */
  expireStreams(): void
  /** Files so far can no longer be fetched, or lack their end. */
  forgetFiles(): void
  cutFiles(): void
  sendRaw(...frames: (string | Buffer)[]): Promise<void>
  mute(): void
  /** Closes the connection after each frame with this text. */
  closeAfter(text: string): void
  refuse(errcode: number): void
  /** Refuses the next calls with these codes. */
  refuseCalls(...errcodes: number[]): void
  /** Forgets the subscription of the connection, which stays open. */
  unsubscribe(): void
  /** Delivers a message with this content as it is. */
  tell(
    content: Record<string, unknown>,
    saying?: { place?: Place; sender?: string; id?: string },
  ): Promise<void>
  hold(): () => void
}

/** Starts one. */
export async function startFakeWeCom(): Promise<FakeWeCom> {
  const violations: string[] = []
  const media = createMedia(violations)
  const board = createBoard(violations, media.uploadOf)
  const registrations = createRegistrations(ROBOT, violations)
  const callbacks = new Map<string, Body>()
  const answerable = new Map<string, Conversation>()
  const presses = new Map<
    string,
    { task_id: string; presser: string; at: number; tell(notice: string): void }
  >()
  const pushed = new Set<string>()
  const written = new Set<string>()
  const faults: Refusal[] = []

  const http = createServer((request, response) => {
    const url = new URL(request.url!, origin())
    if (url.pathname.startsWith('/files/')) media.serve(url.pathname, response)
    else registrations.serve(url, response, origin())
  })
  const origin = () => `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const server = new WebSocketServer({ server: http, maxPayload: 2 * 1024 * 1024 })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')

  const failIfDue = () => {
    const fault = faults.shift()
    if (fault) throw fault
  }

  const sockets = createSockets(
    server,
    ROBOT,
    {
      aibot_respond_msg(req_id, body) {
        failIfDue()
        const conversation = answerable.get(req_id)
        if (!conversation) throw new Refusal(846605, 'invalid req_id')
        board.put(conversation, body, true)
        return undefined
      },
      aibot_send_msg(req_id, { chatid, chat_type, ...body }) {
        failIfDue()
        if (pushed.has(req_id)) violations.push('two messages had one req_id')
        pushed.add(req_id)
        const place = chatid === GROUP ? 'group' : 'direct'
        if (!written.has(chatid)) throw new Refusal(93006, 'invalid chatid')
        if (chat_type !== (place === 'group' ? 2 : 1)) violations.push('a message had the wrong chat_type')
        board.put({ place, chat_id: chatid }, body, false)
        return undefined
      },
      aibot_respond_update_msg(req_id, body) {
        failIfDue()
        const press = presses.get(req_id)
        presses.delete(req_id)
        if (!press || Date.now() - press.at > CHANGE_MS) throw new Refusal(846605, 'invalid req_id')
        press.tell(board.change(press.task_id, press.presser, body))
        return undefined
      },
      aibot_upload_media_init: (_, body) => media.init(body),
      aibot_upload_media_chunk(_, body) {
        media.chunk(body)
        return undefined
      },
      aibot_upload_media_finish: (_, body) => media.finish(body),
    },
    violations,
  )

  /** Returns the fields of a message beyond its author and conversation. */
  function contentOf({ text, file, quote, place }: Saying): Body {
    const words = place === 'group' ? `@${NAME} ${text}` : text
    const said = { msgtype: 'text', text: { content: words } }
    const quoted = quote === undefined ? {} : { quote: { msgtype: 'text', text: { content: quote } } }
    if (!file) return { ...said, ...quoted }
    const type = file.media_type.startsWith('image/') ? 'image' : 'file'
    const offered = { msgtype: type, [type]: media.offer(origin(), file) }
    if (text === '' && place !== 'group') return { ...offered, ...quoted }
    if (type === 'image') return { msgtype: 'mixed', mixed: { msg_item: [said, offered] }, ...quoted }
    // No other file travels with words, or into a group, but as what a message quotes.
    return { ...said, quote: offered }
  }

  function commonOf(id: string, place: Place, sender: string, sent_at: number): Body {
    // There is one direct conversation here, named after ann; others who write in it need its name said.
    const chat_id = place === 'group' ? GROUP : 'ann'
    return {
      msgid: id,
      create_time: Math.floor(sent_at / 1000),
      aibotid: ROBOT.bot_id,
      chattype: place === 'group' ? 'group' : 'single',
      ...(chat_id !== sender && { chatid: chat_id }),
      from: { userid: sender },
      response_url: `${origin()}/respond?code=${randomUUID()}`,
    }
  }

  const deliverMessage = (body: Body) =>
    sockets.deliver(() => {
      const req_id = randomUUID()
      const chat_id = body.chatid ?? body.from.userid
      answerable.set(req_id, { place: body.chattype === 'group' ? 'group' : 'direct', chat_id })
      written.add(chat_id)
      return { cmd: 'aibot_msg_callback', headers: { req_id }, body }
    })

  return {
    endpoints: { ws_url: origin().replace('http', 'ws'), qr: origin() },
    config: { ...ROBOT },
    wrong_config: { bot_id: 'aib-other-robot', secret: 'wecom-wrong-Hh81x' },
    violations,
    seen: sockets.seen,

    async say(saying) {
      const {
        place = 'direct',
        sender = 'ann',
        mention = true,
        id = randomUUID(),
        sent_at = Date.now(),
      } = saying
      const body = { ...commonOf(id, place, sender, sent_at), ...contentOf({ ...saying, place }) }
      // The platform keeps to itself what does not mention the robot.
      if (place === 'group' && !mention) return id
      callbacks.set(id, body)
      await deliverMessage(body)
      return id
    },

    redeliver: (id) => deliverMessage(callbacks.get(id)!),

    shown: (place) =>
      board.messages
        .filter((message) => place === undefined || message.place === place)
        .map(({ id, place, text, history, is_live, buttons, file }) => ({
          id,
          place,
          text,
          history: [...history],
          is_live,
          buttons: [...buttons],
          ...(file && { file }),
        })),

    async press(message_id, label, sender = 'ann') {
      const { task_id, keys, place } = board.messages.find(({ id }) => id === message_id)!
      const event_key = keys?.get(label)
      if (!task_id || event_key === undefined) throw new Error(`the message has no button "${label}"`)
      const detail = { card_type: 'button_interaction', event_key, task_id }
      const event = { eventtype: 'template_card_event', template_card_event: detail }
      const { response_url: _, ...common } = commonOf(randomUUID(), place, sender, Date.now())
      const body = { ...common, msgtype: 'event', event }
      let tell!: (notice?: string) => void
      const answer = new Promise<string | undefined>((resolve) => {
        tell = resolve
      })
      const timer = setTimeout(tell, CHANGE_MS)
      await sockets.deliver(() => {
        const req_id = randomUUID()
        presses.set(req_id, { task_id, presser: sender, at: Date.now(), tell })
        return { cmd: 'aibot_event_callback', headers: { req_id }, body }
      })
      return answer.finally(() => clearTimeout(timer))
    },

    connections: sockets.count,
    drop: sockets.drop,

    limitRate(calls) {
      for (let call = 0; call < calls; call++) faults.push(new Refusal(45009, 'api freq out of limit'))
    },

    fail(calls) {
      for (let call = 0; call < calls; call++) faults.push(new Refusal(-1, 'system busy'))
    },

    typings: () => 0,
    scan: registrations.scan,
    expireAnswers: () => answerable.clear(),
    expireStreams: board.expire,
    forgetFiles: media.forget,
    cutFiles: media.cut,
    sendRaw: sockets.sendRaw,
    mute: sockets.mute,
    closeAfter: sockets.closeAfter,
    refuse: sockets.refuse,
    refuseCalls: (...errcodes) => void faults.push(...errcodes.map((code) => new Refusal(code, 'refused'))),
    unsubscribe: sockets.unsubscribe,
    tell: (content, { place = 'direct', sender = 'ann', id = randomUUID() } = {}) =>
      deliverMessage({ ...commonOf(id, place, sender, Date.now()), ...content }),
    hold: sockets.hold,

    async close() {
      sockets.drop()
      server.close()
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
}
