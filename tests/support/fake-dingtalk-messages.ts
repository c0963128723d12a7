import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { Place, SentFile, ShownMessage } from '../../plugin-api/testing/fake-platform.ts'
import type { FakeAnswer, FakeCall, FakeRoutes } from './fake-dingtalk-http.ts'

/** Bytes of the message in a call, and of a whole answer to a message. */
const MAX_PARAM = 15_000
const MAX_ANSWER = 20_000

/** An address for answers to one message. */
export interface FakeSession {
  place: Place
  expires: number
}

/** The parts of the fake that its messages use. */
interface MessageRules {
  client_id: string
  group: string
  violations: string[]
  /** Says how a call that sends or changes a message is answered instead, if it is. */
  faultOf(isOld: boolean): FakeAnswer | undefined
  /** Answers a call whose token is not right. */
  refusalOf(call: FakeCall): FakeAnswer | undefined
  isStaff(id: string): boolean
  /** Files that were uploaded, by their media id. */
  media: Map<string, SentFile>
}

/** The messages of the bot. */
export interface FakeMessages {
  routes: FakeRoutes
  shown: ShownMessage[]
  add(message: Partial<ShownMessage> & Pick<ShownMessage, 'place' | 'text'>): ShownMessage
  sessions: Map<string, FakeSession>
  /** The text that the client sends when a button is pressed. */
  textOfButton(message: ShownMessage, label: string): string
  /** The next message that answers through a session. */
  answerTo(session: string): Promise<string>
}

interface Written {
  text: string
  buttons: [label: string, link: string][]
}

/** A link that clients understand: in small letters, a space as `+`. */
const LINK = /^dtmd:\/\/dingtalkclient\/sendMessage\?content=((?:(?!%20)[^&\s])+)$/

const refuse = (code: string, status = 400): FakeAnswer => ({ status, body: { code, message: code } })

/** Makes the calls that send messages, and keeps what they have sent. */
export function createFakeMessages(rules: MessageRules): FakeMessages {
  const { client_id, group, violations, faultOf, refusalOf, isStaff, media } = rules
  const shown: ShownMessage[] = []
  const links = new Map<string, Written['buttons']>()
  const sessions = new Map<string, FakeSession>()
  const answers = new EventEmitter().setMaxListeners(0)

  const add: FakeMessages['add'] = (message) => {
    const added = {
      id: randomBytes(12).toString('base64'),
      history: [],
      is_live: false,
      buttons: [],
      ...message,
    }
    shown.push(added)
    return added
  }

  function write(place: Place, { text, buttons }: Written, file?: SentFile): ShownMessage {
    for (const [label, link] of buttons) {
      if (!LINK.test(link)) violations.push(`a button that does nothing: ${link}`)
      if ([...label].length > 20) violations.push(`a button with too long a label: ${label}`)
    }
    const message = add({ place, text, buttons: buttons.map(([label]) => label), ...(file && { file }) })
    links.set(message.id, buttons)
    return message
  }

  /** Reads a message of the API; throws the code that it is refused with. */
  function read(msgKey: string, msgParam: unknown): { written: Written; file?: SentFile } {
    if (typeof msgParam !== 'string') throw 'invalidParameter.msgParam.invalid'
    if (Buffer.byteLength(msgParam) >= MAX_PARAM) throw 'invalidParameter.msgParam.tooLong'
    const param: Record<string, string> = JSON.parse(msgParam)
    const card = /^sampleActionCard([2-5])?$/.exec(msgKey)
    if (card || msgKey === 'sampleMarkdown') {
      if (!param.title || !param.text) throw 'miss.param.markdownTotitle'
      // The code for an unreadable message; DingTalk documents the code but not its cause.
      if (param.text.includes('[[unreadable]]')) throw 'invalidParameter.msgParam.invalid'
      const count = Number(card?.[1] ?? 1)
      const buttons: Written['buttons'] = !card
        ? []
        : count === 1
          ? [[param.singleTitle!, param.singleURL!]]
          : Array.from({ length: count }, (_, n) => [
              param[`actionTitle${n + 1}`]!,
              param[`actionURL${n + 1}`]!,
            ])
      if (buttons.flat().some((part) => !part)) throw 'miss.param.actionCard'
      return { written: { text: param.text, buttons } }
    }
    if (msgKey === 'sampleText' && param.content) return { written: { text: param.content, buttons: [] } }
    const file = media.get((msgKey === 'sampleFile' ? param.mediaId : param.photoURL) ?? '')
    if (msgKey === 'sampleFile' && file && param.fileName && param.fileType)
      return { written: { text: '', buttons: [] }, file: { ...file, filename: param.fileName } }
    if (msgKey === 'sampleImageMsg' && file) return { written: { text: '', buttons: [] }, file }
    throw 'invalidParameter.msgKey.invalid'
  }

  function sendByApi(call: FakeCall, place: Place, reachable: boolean): FakeAnswer {
    const { robotCode, msgKey, msgParam } = call.body
    const fault = refusalOf(call) ?? faultOf(false)
    if (fault) return fault
    if (robotCode !== client_id) return refuse('invalidParameter.robotCode.notExsit')
    try {
      const { written, file } = read(msgKey, msgParam)
      if (reachable) write(place, written, file)
      return { body: { processQueryKey: randomBytes(12).toString('base64') } }
    } catch (code) {
      if (typeof code !== 'string') throw code
      return refuse(code)
    }
  }

  const routes: FakeRoutes = {
    'POST /v1.0/robot/oToMessages/batchSend'(call) {
      const users: string[] = call.body.userIds ?? []
      if (users.length !== 1) return refuse('MissinguserIds')
      const isKnown = users.every(isStaff)
      const answer = sendByApi(call, 'direct', isKnown)
      if (answer.status) return answer
      const lists = { invalidStaffIdList: isKnown ? [] : users, flowControlledStaffIdList: [] }
      return { body: { ...answer.body, ...lists } }
    },

    'POST /v1.0/robot/groupMessages/send'(call) {
      if (call.body.openConversationId !== group) return refuse('invalid.openConversationId')
      return sendByApi(call, 'group', true)
    },

    'POST /robot/sendBySession'({ query, body, bytes }) {
      const fail = (errcode: number, errmsg: string) => ({ body: { errcode, errmsg } })
      const fault = faultOf(true)
      if (fault) return fault
      const name = query.get('session') ?? ''
      const session = sessions.get(name)
      if (!session || session.expires < Date.now()) return fail(300001, 'session 不存在')
      if (bytes.byteLength > MAX_ANSWER) return fail(460101, 'message too long')
      const { title, text, btns = [] } = body[body.msgtype] ?? {}
      if (!['markdown', 'actionCard'].includes(body.msgtype) || !title || !text)
        return fail(40035, 'param error')
      const buttons: Written['buttons'] = btns.map((button: { title: string; actionURL: string }) => [
        button.title,
        button.actionURL,
      ])
      write(session.place, { text, buttons })
      answers.emit(name, text)
      return fail(0, 'ok')
    },
  }

  return {
    routes,
    shown,
    add,
    sessions,

    textOfButton({ id, text }, label) {
      const link =
        links.get(id)?.find(([name]) => name === label)?.[1] ??
        [...text.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)].find(([, name]) => name === label)?.[2]
      const content = LINK.exec(link ?? '')?.[1]
      if (!content) throw new Error(`the message has no button "${label}"`)
      return decodeURIComponent(content.replaceAll('+', ' '))
    },

    async answerTo(session) {
      const [text] = await once(answers, session, { signal: AbortSignal.timeout(40_000) })
      return text
    },
  }
}
