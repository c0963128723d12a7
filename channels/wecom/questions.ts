import type { TemplateCard } from '@wecom/aibot-node-sdk'
import {
  type Button,
  type ChannelLink,
  createRecentSet,
  type Logger,
  type OutboundMessage,
  type PressOutcome,
  toObject,
  toText,
  untilAborted,
} from '#plugin-api'
import { type Calls, isAnswerRefused } from './calls.ts'
import { readCallback, type Target } from './frame.ts'
import { createMarkdown, createStreamFrame, toVisible } from './live.ts'

/** Number of questions whose separately sent text is remembered, so that a retry does not repeat it. */
const MAX_REMEMBERED_QUESTIONS = 200

/**
 * Creates the sender of questions, which returns the id of the card. A long text is sent above the card. If WeCom refuses
 * the card, only the text is sent, which says how to answer in words.
 */
export function createQuestions(calls: Calls, log: Logger) {
  const said = createRecentSet(MAX_REMEMBERED_QUESTIONS)

  return async (target: Target, { text, key, buttons = [] }: OutboundMessage, signal: AbortSignal) => {
    // The platform accepts each id once, so the fallback needs another one.
    const answered = `${key}-a`
    const pushed = `${key}-m`
    const isShort = fitsCard(text)
    const createCard = (task_id: string) => ({ template_card: questionCard(task_id, text, buttons) })
    const answer = isShort
      ? { msgtype: 'template_card', ...createCard(answered) }
      : {
          ...createStreamFrame(key, toVisible(text), true),
          msgtype: 'stream_with_template_card',
          ...createCard(answered),
        }

    const isAnswer = await calls.deliver(target, answer, signal, async () => {
      if (!isShort && !said.has(key)) {
        await calls.push(target, createMarkdown(toVisible(text)), signal)
        said.add(key)
      }
      try {
        await calls.push(target, { msgtype: 'template_card', ...createCard(pushed) }, signal)
      } catch (error) {
        if (!isAnswerRefused(error)) throw error
        log.warn({ error }, 'the buttons of a question were refused')
        if (isShort) await calls.push(target, createMarkdown(toVisible(text)), signal)
      }
    })
    return { task_id: isAnswer ? answered : pushed }
  }
}

/** A card can be changed for five seconds after a press, including the network delay. */
const CHANGE_MS = 4500

/** Number of changed cards that are remembered, so that `settle` does not announce them again. */
const MAX_REMEMBERED_CARDS = 1000

/** A press that can still change its card. */
interface OpenPress {
  req_id: string
  until: number
  /** The only change that a press allows. */
  change?: Promise<void>
}

/** Creates the handler that passes presses to the gateway and changes the cards. */
export function createPresses(link: Pick<ChannelLink, 'press' | 'log'>, calls: Calls, signal: AbortSignal) {
  const open = new Map<string, OpenPress>()
  const settled = createRecentSet(MAX_REMEMBERED_CARDS)

  function change(press: OpenPress, card: { task_id: string; text: string; title?: string; only?: string }) {
    const { task_id, text, title, only } = card
    press.change ??= calls
      .call(
        'aibot_respond_update_msg',
        {
          response_type: 'update_template_card',
          ...(only && { userids: [only] }),
          template_card: resultCard(task_id, text, title),
        },
        signal,
        press.req_id,
      )
      .then(() => {
        if (!only) settled.add(task_id)
      })
    return press.change
  }

  async function show(press: OpenPress, task_id: string, user: string, { notice, text }: PressOutcome) {
    if (!press.change && Date.now() > press.until)
      return link.log.debug('the outcome of a press came too late to change its card')
    // A refusal is shown on the card only to the person who pressed.
    if (text === undefined) await change(press, { task_id, text: notice, only: user })
    else await change(press, { task_id, text, title: notice })
  }

  async function take(frame: unknown) {
    const callback = readCallback(frame)
    const event = toObject(callback?.body.event)
    // The platform nests the fields of an event; the library's types do not.
    const { event_key, task_id: id } = { ...event, ...toObject(event.template_card_event) } as Record<
      string,
      unknown
    >
    const value = toText(event_key)
    const task_id = toText(id)
    if (!callback || !value || !task_id) return link.log.debug('an event of an unknown form was ignored')
    const { req_id, user_id, conversation } = callback
    const press: OpenPress = { req_id, until: Date.now() + CHANGE_MS }
    open.set(task_id, press)
    try {
      const outcome = await untilAborted(
        signal,
        link.press({ value, sender: { id: user_id }, conversation_id: conversation.id }),
      )
      await show(press, task_id, user_id, outcome)
    } finally {
      if (open.get(task_id) === press) open.delete(task_id)
    }
  }

  return {
    onEvent(frame: unknown): void {
      const type = toText(toObject(toObject(toObject(frame).body).event).eventtype)
      if (type !== 'template_card_event') return
      take(frame).catch((error) => {
        if (!signal.aborted) link.log.warn({ error }, 'a pressed button could not be answered')
      })
    },

    /** Changes a card while a press of it is open; false if none is open or the change failed. */
    async settle(task_id: string, text: string): Promise<boolean> {
      if (settled.has(task_id)) return true
      const press = open.get(task_id)
      if (!press || Date.now() > press.until) return false
      try {
        await change(press, { task_id, text })
      } catch (error) {
        link.log.debug({ error }, 'a card could not be changed')
      }
      return settled.has(task_id)
    },
  }
}

/** Handles the presses of a connection. */
export type Presses = ReturnType<typeof createPresses>

/** Characters of a card's text and title that the apps show. */
const MAX_TEXT = 112
const MAX_TITLE = 26

/** WeCom's limit for buttons of a card. */
const MAX_BUTTONS = 6

const STYLES: Record<Button['style'], number> = { primary: 1, default: 2, danger: 3 }

/** The action of a result card, which the platform requires. */
const RESULT_ACTION = { type: 1, url: 'https://work.weixin.qq.com' } as const

const clip = (text: string, limit: number) => {
  const characters = [...text]
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : text
}

/** Truncates the text before its last line, which contains the outcome. */
function clipToEnd(text: string): string {
  const end = text.slice(text.lastIndexOf('\n') + 1)
  const room = MAX_TEXT - [...end].length - 1
  if ([...text].length <= MAX_TEXT || room < 1) return clip(text, MAX_TEXT)
  return `${clip(text.slice(0, -end.length).trimEnd(), room)}\n${end}`
}

/** True if a card can show the whole text. */
const fitsCard = (text: string) => [...toPlainText(text)].length <= MAX_TEXT

/** Creates a question with buttons. `task_id` is unique among all cards of the robot. */
const questionCard = (task_id: string, text: string, buttons: readonly Button[]): TemplateCard => ({
  card_type: 'button_interaction',
  task_id,
  sub_title_text: clip(toPlainText(text), MAX_TEXT) || '…',
  button_list: buttons
    .slice(0, MAX_BUTTONS)
    .map(({ label, value, style }) => ({ text: label.toWellFormed(), style: STYLES[style], key: value })),
})

/** Creates the card that replaces a question. */
const resultCard = (task_id: string, text: string, title?: string): TemplateCard => ({
  card_type: 'text_notice',
  task_id,
  ...(title && { main_title: { title: clip(title.toWellFormed(), MAX_TITLE) } }),
  sub_title_text: clipToEnd(toPlainText(text)) || '…',
  card_action: RESULT_ACTION,
})

/** Removes the marks of Markdown, which a card would show. */
function toPlainText(markdown: string): string {
  return markdown
    .toWellFormed()
    .replace(/^[^\S\n]*(```|~~~).*$\n?/gm, '')
    .replace(/^\s{0,3}(#{1,6}|>)\s+/gm, '')
    .replace(/!?\[([^[\]]*)\]\(([^)\s]*)\)/g, '$1 $2')
    .replace(/(\*\*|~~|`)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replace(/\\([\\`*_{}[\]()#+\-.!>~|])/g, '$1')
    .trim()
}
