import { randomBytes } from 'node:crypto'
import type { Place, SentFile, ShownMessage } from '../../plugin-api/testing/fake-platform.ts'
import { type QqReply, type QqRequest, refuse } from './fake-qq-http.ts'

/** A button as it was sent. */
interface SentButton {
  render_data: { label: string; visited_label: string; style: number }
  action: { type: number; data: string; permission: { type: number; specify_user_ids?: string[] } }
}

/** A message of the bot, with what QQ keeps of it. */
export interface SentMessage extends ShownMessage {
  drawn: SentButton[]
  msg_type: number
  /** True if it answers a message or an event. */
  isPassive: boolean
  event_id: string | undefined
  /** While it grows. */
  index: number
  msg_seq: number
}

/** The refusals and faults of QQ that a test can enable. */
export interface QqRules {
  markdown: boolean
  links: boolean
  keyboards: boolean
  streams: boolean
  proactive: boolean
  /** Takes a message, but cuts the connection before it says so, so many times. */
  losses: number
  /** Codes with which the next messages are refused. */
  refusals: number[]
}

/** The messages of the bot. */
export interface FakeQqMessages {
  /** A message of a person, or an event, which may be answered. */
  ask(id: string, place: Place): void
  /** Its time is over. */
  expire(id: string): void
  serve(request: QqRequest): QqReply | undefined
  sent: SentMessage[]
  /** Numbers of answers in the order in which they came, refused ones too. */
  numbers: number[]
  rules: QqRules
}

/** QQ's limit of answers to a message. */
const MAX_REPLIES = { direct: 4, group: 5 }
/** QQ's limit of messages of the bot's own in a conversation within a minute. */
const MAX_OWN_PER_MINUTE = 20
const MAX_BYTES = 8_000

const isPassive = ({ msg_id, event_id }: QqRequest['body']) => (msg_id ?? event_id) !== undefined

const PATH = /^\/v2\/(users|groups)\/([^/]+)\/(messages|stream_messages|files)$/
const HOST = /\b[a-z0-9-]+\.[a-z]{2,}\b/i

/** Serves the calls that send and change messages, in a direct conversation with anybody and in the group. */
export function createFakeQqMessages({
  group,
  violations,
}: {
  group: string
  violations: string[]
}): FakeQqMessages {
  const questions = new Map<string, { place: Place; numbers: Set<number>; isOver: boolean }>()
  const uploads = new Map<string, SentFile & { place: Place }>()
  const sent: SentMessage[] = []
  const numbers: number[] = []
  const ownAt: Record<Place, number[]> = { direct: [], group: [] }
  const rules: QqRules = {
    markdown: true,
    links: true,
    keyboards: true,
    streams: true,
    proactive: true,
    losses: 0,
    refusals: [],
  }
  const newId = () => `ROBOT1.0_${randomBytes(24).toString('base64url')}`

  const accept = (body: object): QqReply => {
    if (rules.losses === 0) return { status: 200, body }
    rules.losses -= 1
    return { status: 0, cut: true }
  }

  /** Returns the fault of an answer; counts a valid answer, unless it continues an earlier one. */
  function count(place: Place, body: QqRequest['body']): QqReply | undefined {
    const { msg_id, event_id, msg_seq = 1 } = body
    const asked = msg_id ?? event_id
    if (asked === undefined) return countOwn(place)
    numbers.push(msg_seq)
    const question = questions.get(asked)
    if (!question || question.place !== place) return refuse(400, 40034024, '请求参数msg_id无效或越权')
    if (question.isOver) return refuse(400, 40034005, '回复消息msg_id已过期')
    if (question.numbers.has(msg_seq)) return refuse(400, 40054005, '消息被去重，请检查请求msgseq')
    if (question.numbers.size >= MAX_REPLIES[place]) return refuse(400, 40034128, '被动回复时间或次数超限')
    question.numbers.add(msg_seq)
    return undefined
  }

  /** Returns the fault of a message of the bot's own. */
  function countOwn(place: Place): QqReply | undefined {
    if (!rules.proactive) return refuse(400, 40034105, '主动消息发送失败，无权限')
    const recent = ownAt[place].filter((at) => at > Date.now() - 60_000)
    if (recent.length >= MAX_OWN_PER_MINUTE) return refuse(400, 40034100, '主动消息发送超过频控限制')
    ownAt[place] = [...recent, Date.now()]
    return undefined
  }

  function judge(text: unknown): QqReply | undefined {
    if (typeof text !== 'string' || text.trim() === '') return refuse(400, 50006, '消息为空')
    if (text !== text.toWellFormed()) violations.push('a text had half a character')
    if (Buffer.byteLength(text) > MAX_BYTES) return refuse(400, 40054007, '消息长度超限')
    if (!rules.links && HOST.test(text)) return refuse(400, 40034028, '请求参数不允许包含url')
    return undefined
  }

  function judgeKeyboard(rows: { buttons: SentButton[] }[]): QqReply | undefined {
    const buttons = rows.flatMap((row) => row.buttons)
    if (!rules.keyboards) return refuse(400, 304037, '没有发消息按钮组件的权限')
    if (rows.length > 5 || rows.some((row) => row.buttons.length > 5 || row.buttons.length === 0))
      return refuse(400, 40034029, '内联键盘行/列超限')
    const isWrong = ({ render_data: { label, style }, action }: SentButton) =>
      [...label].length > 10 || ![0, 1, 3, 4].includes(style) || action.type !== 1 || !action.data
    return buttons.some(isWrong) ? refuse(400, 305007, '键盘样式参数错误') : undefined
  }

  function send(place: Place, body: QqRequest['body']): QqReply {
    const { msg_type, content, markdown, media, keyboard } = body
    if (msg_type === 2 && content !== undefined) return refuse(400, 50037, 'markdown 不能与 content 同时存在')
    if (msg_type === 2 && !rules.markdown) return refuse(400, 50056, '不允许发送 markdown content')
    const upload = msg_type === 7 ? uploads.get(media?.file_info) : undefined
    if (msg_type === 7 && upload?.place !== place) return refuse(400, 304080, '文件信息无效')
    if (![0, 2, 7].includes(msg_type)) return refuse(400, 22006, '消息类型与内容不匹配')
    const text = msg_type === 2 ? markdown?.content : (content ?? '')
    const rows: { buttons: SentButton[] }[] = keyboard?.content.rows ?? []
    const wrong = (msg_type !== 7 && judge(text)) || (keyboard && judgeKeyboard(rows)) || count(place, body)
    if (wrong) return wrong
    const drawn = rows.flatMap(({ buttons }) => buttons)
    const message = show(place, text, {
      drawn,
      msg_type,
      isPassive: isPassive(body),
      event_id: body.event_id,
    })
    if (upload) message.file = upload
    return accept({
      id: message.id,
      timestamp: new Date().toISOString(),
      ext_info: { ref_idx: `REFIDX_${sent.length}==` },
    })
  }

  function show(place: Place, text: string, more: Partial<SentMessage>): SentMessage {
    const { drawn = [] } = more
    const message: SentMessage = {
      id: newId(),
      place,
      text,
      history: [],
      is_live: false,
      buttons: drawn.map(({ render_data }) => render_data.label),
      drawn,
      msg_type: 0,
      isPassive: true,
      event_id: undefined,
      index: 0,
      msg_seq: 0,
      ...more,
    }
    sent.push(message)
    return message
  }

  function stream(place: Place, body: QqRequest['body']): QqReply {
    const { input_mode, input_state, index, content_type, content_raw, msg_seq, stream_msg_id } = body
    if (place === 'group') return refuse(404, 0, 'not found')
    if (!rules.streams) return refuse(400, 11253, '检查应用权限不通过')
    if (input_mode !== 'replace' || ![1, 10].includes(input_state))
      violations.push('a stream in another mode')
    if (content_type === 'markdown' && !rules.markdown)
      return refuse(400, 50056, '不允许发送 markdown content')
    const wrong = judge(content_raw)
    if (wrong) return wrong
    if (stream_msg_id === undefined) {
      if (index !== 0) violations.push(`a stream begins with index ${index}`)
      const refused = count(place, body)
      if (refused) return refused
      const is_live = input_state === 1
      const message = show(place, content_raw, {
        is_live,
        msg_seq,
        isPassive: isPassive(body),
        event_id: body.event_id,
      })
      return accept({ id: message.id, timestamp: new Date().toISOString() })
    }
    const message = sent.find(({ id }) => id === stream_msg_id)
    if (!message) return refuse(400, 40034024, 'stream_msg_id 无效')
    if (message.msg_seq !== msg_seq) violations.push('a stream has two numbers')
    if (!(index > message.index)) violations.push(`index ${index} of a stream after ${message.index}`)
    if (!message.is_live || !content_raw.startsWith(message.text))
      return refuse(400, 40007, '已下发内容前缀不可修改')
    message.index = index
    if (content_raw !== message.text) message.history.push(message.text)
    message.text = content_raw
    message.is_live = input_state === 1
    return accept({ id: message.id, timestamp: new Date().toISOString() })
  }

  function upload(
    place: Place,
    { file_type, file_data, file_name, srv_send_msg }: QqRequest['body'],
  ): QqReply {
    if (srv_send_msg !== false) violations.push('a file was sent as it was uploaded')
    if (![1, 2, 3, 4].includes(file_type) || !file_data) return refuse(400, 850019, '不支持的文件格式')
    const media_type = { 1: 'image/png', 2: 'video/mp4', 3: 'audio/silk', 4: '' }[file_type as 1 | 2 | 3 | 4]
    const file_info = randomBytes(24).toString('base64')
    uploads.set(file_info, {
      place,
      filename: file_name,
      media_type,
      bytes: Buffer.from(file_data, 'base64'),
    })
    return { status: 200, body: { file_uuid: randomBytes(8).toString('hex'), file_info, ttl: 300 } }
  }

  return {
    sent,
    numbers,
    rules,
    ask: (id, place) => void questions.set(id, { place, numbers: new Set(), isOver: false }),
    expire(id) {
      questions.get(id)!.isOver = true
    },
    serve({ method, path, body }) {
      const [, scene, openid, call] = PATH.exec(path) ?? []
      if (!call || method !== 'POST') return undefined
      if (scene === 'groups' && decodeURIComponent(openid!) !== group)
        return refuse(400, 40034101, '机器人非群成员')
      const place = scene === 'groups' ? 'group' : 'direct'
      const refusal = rules.refusals.shift()
      if (refusal !== undefined) return refuse(400, refusal, 'refused')
      if (call === 'files') return upload(place, body)
      return call === 'messages' ? send(place, body) : stream(place, body)
    },
  }
}
