import type { SlotContext } from '#plugin-api/console'
import type { Reason } from '../schemas.ts'
import { create, createButton } from './dom.ts'
import { listReasons, wordsOf } from './words.ts'

const MAX_REASONS = 5
const MAX_COMMENT_CHARS = 2000

/** The reasons and the comment of a person on a bad answer. */
export interface Remarks {
  reasons: Reason[]
  comment: string
}

/** Asks what is wrong with an answer; resolves to undefined if the person skips it, or when `signal` is aborted. */
export function askReasons(locale: SlotContext['locale'], signal: AbortSignal): Promise<Remarks | undefined> {
  const words = wordsOf(locale)
  const title = create('strong', { id: `feedback-${crypto.randomUUID()}` }, words.ask)
  const boxes = listReasons(locale).map(([reason, word]) => {
    const box = create('input', { type: 'checkbox', value: reason })
    return { box, label: create('label', { class: 'slot-row' }, box, word) }
  })
  const comment = create('textarea', {
    class: 'slot-input',
    rows: '3',
    maxlength: String(MAX_COMMENT_CHARS),
    placeholder: words.comment,
    'aria-label': words.comment,
  })
  comment.style.width = '100%'
  const problem = create('span', { class: 'slot-danger', role: 'status' })
  const send = create('button', { type: 'submit', class: 'slot-button', 'data-primary': true }, words.send)
  const skip = createButton(words.skip, () => dialog.close())
  const choices = create('div', { class: 'slot-row', role: 'group', 'aria-labelledby': title.id })
  choices.append(...boxes.map(({ label }) => label))
  const form = create('form', { method: 'dialog' })
  form.append(title, choices, comment, create('span', { class: 'slot-meta' }, words.note), problem)
  form.append(create('div', { class: 'slot-row' }, send, skip))
  Object.assign(form.style, { display: 'grid', gap: '12px' })
  const dialog = create('dialog', { class: 'slot-card', 'aria-labelledby': title.id }, form)
  Object.assign(dialog.style, {
    margin: 'auto',
    width: 'min(30rem, calc(100vw - 2rem))',
    color: 'var(--slot-text)',
  })
  // Beside the answer, whose buttons are pale until the pointer is there, which tools of accessibility apply to the dialog.
  const host = create('div', { class: 'slot' }, dialog)

  return new Promise((resolve) => {
    let remarks: Remarks | undefined
    form.addEventListener('submit', (event) => {
      const reasons = boxes.flatMap(({ box }) => (box.checked ? [box.value as Reason] : []))
      if (reasons.length > MAX_REASONS) {
        event.preventDefault()
        problem.textContent = words.most
        return
      }
      remarks = { reasons, comment: comment.value }
    })
    dialog.addEventListener('close', () => {
      host.remove()
      resolve(remarks)
    })
    // Keys are not for the shortcuts of the page.
    dialog.addEventListener('keydown', (event) => event.stopPropagation())
    signal.addEventListener('abort', () => dialog.close())
    document.body.append(host)
    dialog.showModal()
  })
}
