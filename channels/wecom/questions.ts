import type { OutboundMessage } from '#plugin-api'
import type { Calls } from './calls.ts'
import { fitsCard, questionCard } from './card.ts'
import type { Target } from './frame.ts'
import { markdownMessage, streamFrame, visible } from './live.ts'
import { createRecent } from './recent.ts'

/** Questions whose text went out before their card and are remembered, so that another try does not repeat it. */
const MAX_SAID = 200

/** Makes what asks questions with buttons; gives the id of the card. One whose text fits no card has it above. */
export function createQuestions(calls: Calls) {
  const said = createRecent(MAX_SAID)

  return async (target: Target, { text, key, buttons = [] }: OutboundMessage, signal: AbortSignal) => {
    // The platform takes no id twice, so the second way has another: the first may have been used up.
    const answered = `${key}-a`
    const pushed = `${key}-m`
    const isShort = fitsCard(text)
    const cardOf = (task_id: string) => ({ template_card: questionCard(task_id, text, buttons) })
    const answer = isShort
      ? { msgtype: 'template_card', ...cardOf(answered) }
      : {
          ...streamFrame(key, visible(text), true),
          msgtype: 'stream_with_template_card',
          ...cardOf(answered),
        }

    const isAnswer = await calls.deliver(target, answer, signal, async () => {
      if (!isShort && !said.has(key)) {
        await calls.push(target, markdownMessage(text), signal)
        said.add(key)
      }
      await calls.push(target, { msgtype: 'template_card', ...cardOf(pushed) }, signal)
    })
    return { task_id: isAnswer ? answered : pushed }
  }
}
