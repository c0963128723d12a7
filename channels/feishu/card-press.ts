import { setTimeout as sleep } from 'node:timers/promises'
import { type Inbox, isObject, type Logger, toFilledText } from '#plugin-api'
import { createCard, readButtonValue } from './card.ts'

/** Feishu waits three seconds for an answer; after that it shows an error to the presser. */
const ANSWER_MS = 2500

/**
 * Answers the event `card.action.trigger` with a toast for the presser and the changed card. A press that takes longer
 * is answered without either: its outcome is stored all the same, and `settle` changes the card.
 */
export async function answerPress(
  event: unknown,
  { press, log, answerMs = ANSWER_MS }: { press: Inbox['press']; log: Logger; answerMs?: number },
): Promise<unknown> {
  if (!isObject(event) || !isObject(event.action) || !isObject(event.operator)) return undefined
  const value = readButtonValue(event.action.value)
  const openId = toFilledText(event.operator.open_id)
  if (!value || !openId) return undefined
  const { conversation_id } = value
  const outcomePromise = press({ value: value.press, sender: { id: openId }, conversation_id })
  const timer = new AbortController()
  // Rejects only when aborted.
  const timeUp = sleep(answerMs, undefined, { signal: timer.signal }).catch(() => undefined)
  try {
    const outcome = await Promise.race([outcomePromise, timeUp])
    if (!outcome) {
      outcomePromise.catch((error) => log.warn({ error }, 'a press that took long has failed'))
      return undefined
    }
    const { notice, text } = outcome
    return {
      toast: { type: 'info', content: notice },
      ...(text !== undefined && { card: { type: 'raw', data: createCard(text) } }),
    }
  } finally {
    timer.abort()
  }
}
