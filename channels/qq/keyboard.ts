import type { Button, OutboundMessage } from '#plugin-api'
import type { Target } from './target.ts'

/** QQ takes five rows of five buttons. */
const MAX_ROWS = 5
const MAX_IN_ROW = 5
/** Labels of more than so many characters are refused. */
const MAX_LABEL = 10
/** So many stand beside each other on a phone without being cut. */
const COMFORTABLE = 2

const STYLES: Record<Button['style'], number> = { default: 0, primary: 1, danger: 3 }

const CALLBACK = 1
const ONLY_SOME = 0
const EVERYBODY = 2

/** The keyboard under a message; undefined where it has no buttons. */
export function keyboardOf({ scene }: Target, { buttons = [], pressers, key }: OutboundMessage) {
  if (buttons.length === 0) return undefined
  const permission =
    scene === 'groups' && pressers && pressers.length > 0
      ? { type: ONLY_SOME, specify_user_ids: [...pressers] }
      : { type: EVERYBODY }
  const drawn = buttons.slice(0, MAX_ROWS * MAX_IN_ROW).map(({ label, value, style }, index) => ({
    id: String(index + 1),
    render_data: { label: cut(label), visited_label: cut(`✓ ${label}`), style: STYLES[style] },
    action: { type: CALLBACK, data: value, permission, click_limit: 1, unsupport_tips: label },
    // Once one of a group is pressed, QQ takes none of the others.
    group_id: key,
  }))
  const inRow = Math.max(COMFORTABLE, Math.ceil(drawn.length / MAX_ROWS))
  const rows = Array.from({ length: Math.ceil(drawn.length / inRow) }, (_, row) => ({
    buttons: drawn.slice(row * inRow, (row + 1) * inRow),
  }))
  return { content: { rows } }
}

function cut(label: string): string {
  const characters = [...label]
  return characters.length <= MAX_LABEL ? label : `${characters.slice(0, MAX_LABEL - 1).join('')}…`
}
