import type { MountSlot, SlotContext } from '#plugin-api/console'
import { create, createThumb } from './dom.ts'
import { answerOf, type NewVote, readVotes, storeVote } from './own-votes.ts'
import { askReasons } from './reason-form.ts'
import { wordsOf } from './words.ts'

const VALUES = [1, -1] as const
type Value = (typeof VALUES)[number]

/** Shows the thumbs under an answer. */
const mount: MountSlot = (element, mounted) => {
  let context = mounted
  const closing = new AbortController()
  const buttons = new Map<Value, HTMLButtonElement>()

  const show = (value: Value | undefined) => {
    for (const [thumb, button] of buttons) button.setAttribute('aria-pressed', String(thumb === value))
  }

  const name = () => {
    const { up, down } = wordsOf(context.locale)
    for (const [value, button] of buttons) {
      const word = value === 1 ? up : down
      button.title = word
      button.setAttribute('aria-label', word)
    }
  }

  const refresh = async () => {
    const answer = answerOf(context)
    for (const button of buttons.values()) button.disabled = answer === undefined
    if (!answer) return
    const votes = await readVotes(context, answer).catch(() => undefined)
    if (!closing.signal.aborted && answerOf(context)?.message_id === answer.message_id)
      show(votes?.get(answer.message_id)?.value)
  }

  /** Stores a vote; returns true if the server has taken it. */
  const store = async (vote: NewVote | undefined): Promise<boolean> => {
    const answer = answerOf(context)
    if (!answer) return false
    try {
      await storeVote(context, answer, vote)
      show(vote?.value)
      return true
    } catch (error) {
      context.toast((error as Error).message)
      await refresh()
      return false
    }
  }

  const choose = async (value: Value, button: HTMLButtonElement) => {
    const isWithdrawn = button.getAttribute('aria-pressed') === 'true'
    const words = wordsOf(context.locale)
    if (!(await store(isWithdrawn ? undefined : { value }))) return
    if (isWithdrawn) return context.toast(words.removed)
    if (value === 1) return context.toast(words.thanks)
    if (closing.signal.aborted) return undefined
    const remarks = await askReasons(context.locale, closing.signal)
    button.focus()
    const isFilled = remarks && (remarks.reasons.length > 0 || remarks.comment.trim() !== '')
    if (isFilled && (await store({ value, ...remarks }))) context.toast(words.thanks)
  }

  for (const value of VALUES) {
    const button = create('button', { type: 'button', class: 'slot-icon-button', 'aria-pressed': 'false' })
    button.append(createThumb(value))
    button.addEventListener('click', () => void choose(value, button))
    buttons.set(value, button)
    element.append(button)
  }
  name()
  void refresh()

  return {
    update(changed: SlotContext) {
      const isSame = changed.message_id === context.message_id
      context = changed
      name()
      if (!isSame) void refresh()
    },
    unmount() {
      closing.abort()
      element.replaceChildren()
    },
  }
}

export default mount
