import { untilAborted } from '#kernel'
import type { ChannelLink, PressOutcome } from '#plugin-api'
import type { Calls } from './calls.ts'
import { resultCard } from './card.ts'
import { readCallback, toFields, toText } from './frame.ts'
import { createRecent } from './recent.ts'

/** A card can be changed for five seconds after a press, including the network delay. */
const CHANGE_MS = 4500

/** Number of changed cards that are remembered, so that `settle` does not announce them again. */
const MAX_REMEMBERED = 1000

/** A press that can still change its card. */
interface OpenPress {
  req_id: string
  until: number
  /** The only change that a press allows. */
  change?: Promise<void>
}

/** Handles the presses of a connection. */
export interface Presses {
  onEvent(frame: unknown): void
  /** Changes a card while a press of it is open; false if none is open or the change failed. */
  settle(task_id: string, text: string): Promise<boolean>
}

/** Creates the handler that passes presses to the gateway and changes the cards. */
export function createPresses(
  link: Pick<ChannelLink, 'press' | 'log'>,
  calls: Calls,
  signal: AbortSignal,
): Presses {
  const open = new Map<string, OpenPress>()
  const settled = createRecent(MAX_REMEMBERED)

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
    const event = toFields(callback?.body.event)
    // The platform nests the fields of an event; the library's types do not.
    const { event_key, task_id: id } = { ...event, ...toFields(event.template_card_event) } as Record<
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
    onEvent(frame) {
      const type = toText(toFields(toFields(toFields(frame).body).event).eventtype)
      if (type !== 'template_card_event') return
      take(frame).catch((error) => {
        if (!signal.aborted) link.log.warn({ error }, 'a pressed button could not be answered')
      })
    },

    async settle(task_id, text) {
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
