import { COMPOSER_FIELD } from '../chat/composer/composer-field.ts'

/** Inserts a text at the cursor of the composer, which gets the focus; does nothing without a composer. */
export function insertText(text: string): void {
  const field = document.querySelector<HTMLTextAreaElement>(`textarea[name="${COMPOSER_FIELD}"]`)
  if (!field) return
  field.focus()
  // After a selection, since what was written stays.
  const { selectionEnd } = field
  field.setRangeText(String(text), selectionEnd, selectionEnd, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}
