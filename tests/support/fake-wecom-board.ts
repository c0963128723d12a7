import type { Place, SentFile, ShownMessage } from '../../plugin-api/testing/fake-platform.ts'

/** Fields of a frame. */
// biome-ignore lint/suspicious/noExplicitAny: what a bot sends has any form until it is checked
export type Body = Record<string, any>

/** A command that the platform does not carry out. */
export class Refusal extends Error {
  readonly errcode: number

  constructor(errcode: number, errmsg: string) {
    // The platform says where the call came from, which a bot must not repeat.
    super(`${errmsg}, hint: [1700000000_9], from ip: 203.0.113.77`)
    this.errcode = errcode
  }
}

/** One of the platform's conversations. */
export interface Conversation {
  place: Place
  /** The person's id, or the group's. */
  chat_id: string
}

interface Message extends ShownMessage {
  stream_id?: string
  task_id?: string
  /** Of the buttons, by label; kept when they are taken off, as somebody may not see that yet. */
  keys?: Map<string, string>
  /** The text of the message above its card. */
  above?: string
  is_finished?: boolean
  is_expired?: boolean
}

const MAX_BYTES = 20_480

/** The most new messages in a conversation within a minute; changes of a stream are not counted. */
const MAX_PER_MINUTE = 30
const hasInk = (text: string) => /[^\s\p{C}]/u.test(text)

/** The visible messages of a bot, with the platform's rules for them. */
export function createBoard(violations: string[], mediaOf: (type: string, media_id: string) => SentFile) {
  const messages: Message[] = []
  const usedTasks = new Set<string>()
  const shownAt = new Map<string, number[]>()

  function show({ place, chat_id }: Conversation, message: Partial<Message>): Message {
    const recent = (shownAt.get(chat_id) ?? []).filter((at) => at > Date.now() - 60_000)
    if (recent.length >= MAX_PER_MINUTE) throw new Refusal(45009, 'api freq out of limit')
    shownAt.set(chat_id, [...recent, Date.now()])
    const shown: Message = {
      id: `shown-${messages.length + 1}`,
      place,
      text: '',
      history: [],
      is_live: false,
      buttons: [],
      ...message,
    }
    messages.push(shown)
    return shown
  }

  function checkText(text: unknown): string {
    if (typeof text !== 'string') throw new Refusal(40058, 'invalid content')
    if (Buffer.byteLength(text) > MAX_BYTES) throw new Refusal(40058, 'content exceed max length')
    return text
  }

  function putStream(conversation: Conversation, { id, content, finish = false }: Body) {
    if (typeof id !== 'string' || id === '' || typeof finish !== 'boolean')
      throw new Refusal(40058, 'invalid stream')
    const text = checkText(content)
    if (finish && !hasInk(text)) violations.push('a stream ended with nothing to see')
    const message = messages.find(({ stream_id }) => stream_id === id)
    if (!message) {
      show(conversation, { stream_id: id, text, is_live: !finish, is_finished: finish })
      return
    }
    if (message.is_expired) throw new Refusal(846608, 'stream message update expired')
    if (message.is_finished) {
      if (!finish || text !== message.text) throw new Refusal(846608, 'stream message update expired')
      return
    }
    if (text !== message.text) message.history.push(message.text)
    Object.assign(message, { text, is_live: !finish, is_finished: finish })
  }

  function putCard(conversation: Conversation, card: Body, stream?: Body) {
    if (card?.card_type !== 'button_interaction') throw new Refusal(40058, 'invalid card_type')
    checkCardText(card)
    const { task_id, button_list: buttons } = card
    if (!/^[\w@-]{1,128}$/.test(task_id ?? '')) throw new Refusal(40058, 'invalid task_id')
    if (usedTasks.has(task_id)) throw new Refusal(40058, 'task_id was used before')
    if (!Array.isArray(buttons) || buttons.length < 1 || buttons.length > 6)
      throw new Refusal(40016, 'invalid button size')
    const keys = new Map<string, string>(buttons.map(({ text, key }) => [text, key]))
    for (const { text, key, style } of buttons) {
      if (!text || !key || Buffer.byteLength(key) > 1024) throw new Refusal(40058, 'invalid button')
      if (![1, 2, 3, 4].includes(style)) violations.push(`a button had the style ${style}`)
    }
    if (new Set(keys.values()).size < buttons.length) throw new Refusal(40058, 'two buttons have one key')
    if (stream) putStream(conversation, stream)
    usedTasks.add(task_id)
    const above = stream && messages.find(({ stream_id }) => stream_id === stream.id)
    if (above?.task_id) throw new Refusal(40058, 'the message has a card already')
    const shown = above ?? show(conversation, { text: card.sub_title_text ?? '' })
    Object.assign(shown, { task_id, keys, buttons: [...keys.keys()], above: above?.text })
  }

  function checkCardText({ main_title, sub_title_text }: Body) {
    if (!main_title?.title && !sub_title_text) throw new Refusal(40058, 'missing main_title.title')
    if ([...(main_title?.title ?? '')].length > 26) violations.push('the title of a card was too long')
    if ([...(sub_title_text ?? '')].length > 112) violations.push('the text of a card was too long')
  }

  return {
    messages,

    /** Puts what an answer or a message brings; `isAnswer` allows streams. */
    put(conversation: Conversation, body: Body, isAnswer: boolean) {
      const { msgtype } = body
      if (msgtype === 'stream' && isAnswer) putStream(conversation, body.stream ?? {})
      else if (msgtype === 'markdown') show(conversation, { text: checkText(body.markdown?.content) })
      else if (msgtype === 'template_card') putCard(conversation, body.template_card)
      else if (msgtype === 'stream_with_template_card' && isAnswer)
        putCard(conversation, body.template_card, body.stream ?? {})
      else if (msgtype === 'file' || msgtype === 'image')
        show(conversation, { file: mediaOf(msgtype, body[msgtype]?.media_id) })
      else throw new Refusal(40008, 'invalid message type')
    },

    /** Replaces a card by another; returns the text that the presser sees. */
    change(task_id: string, presser: string, { response_type, template_card: card, userids }: Body): string {
      if (response_type !== 'update_template_card') throw new Refusal(40058, 'invalid response_type')
      if (card?.card_type !== 'text_notice') throw new Refusal(40058, 'invalid card_type')
      if (card.task_id !== task_id) throw new Refusal(40058, 'task_id is not that of the event')
      if (![1, 2].includes(card.card_action?.type) || !card.card_action?.url)
        throw new Refusal(42045, 'missing card_action')
      checkCardText(card)
      const message = messages.find((message) => message.task_id === task_id)!
      if (userids === undefined) {
        message.history.push(message.text)
        const lines = [message.above, card.sub_title_text].filter((line) => line)
        Object.assign(message, { text: lines.join('\n\n'), buttons: [] })
      } else if (!userids.includes(presser)) violations.push('a card was changed for somebody else')
      return card.main_title?.title ?? card.sub_title_text
    },

    /** From now on no stream that is there can be changed. */
    expire() {
      for (const message of messages) message.is_expired = message.stream_id !== undefined
    },
  }
}
