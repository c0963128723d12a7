import type { Inbox } from '#plugin-api'
import { createCard, readButtonValue } from './card.ts'
import { isRecord, toText } from './reply.ts'

/** Answers the event `card.action.trigger` with a toast for the presser and the changed card. */
export async function answerPress(event: unknown, press: Inbox['press']): Promise<unknown> {
  if (!isRecord(event) || !isRecord(event.action) || !isRecord(event.operator)) return undefined
  const value = readButtonValue(event.action.value)
  const openId = toText(event.operator.open_id)
  if (!value || !openId) return undefined
  const { notice, text } = await press({
    value: value.press,
    sender: { id: openId },
    conversation_id: value.conversation_id,
  })
  return {
    toast: { type: 'info', content: notice },
    ...(text !== undefined && { card: { type: 'raw', data: createCard(text) } }),
  }
}
