import type { OutboundMessage } from '#plugin-api'
import type { Calls } from './calls.ts'
import { fitsCard, questionCard } from './card.ts'
import type { Target } from './frame.ts'
import { createMarkdown, createStreamFrame, toVisible } from './live.ts'
import { createRecent } from './recent.ts'

/** Number of questions whose separately sent text is remembered, so that a retry does not repeat it. */
const MAX_REMEMBERED = 200

/** Creates the sender of questions, which returns the id of the card. A long text is sent above the card. */
export function createQuestions(calls: Calls) {
  const said = createRecent(MAX_REMEMBERED)

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
        await calls.push(target, createMarkdown(text), signal)
        said.add(key)
      }
      await calls.push(target, { msgtype: 'template_card', ...createCard(pushed) }, signal)
    })
    return { task_id: isAnswer ? answered : pushed }
  }
}
