import type { Inbox } from '#plugin-api'
import { cardOf, readButtonValue } from './card.ts'
import { isRecord, textOf } from './reply.ts'

/** Answers the event `card.action.trigger` with a few words for the one who pressed, and the card as it is now. */
export async function answerPress(event: unknown, press: Inbox['press']): Promise<unknown> {
  if (!isRecord(event) || !isRecord(event.action) || !isRecord(event.operator)) return undefined
  const value = readButtonValue(event.action.value)
  const openId = textOf(event.operator.open_id)
  if (!value || !openId) return undefined
  const { notice, text } = await press({
    value: value.press,
    sender: { id: openId },
    conversation_id: value.conversation_id,
  })
  return {
    toast: { type: 'info', content: notice },
    ...(text !== undefined && { card: { type: 'raw', data: cardOf(text) } }),
  }
}
