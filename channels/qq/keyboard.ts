import type { Button, OutboundMessage } from '#plugin-api'
import type { Target } from './inbound.ts'

/** QQ accepts five rows of five buttons. */
const MAX_ROWS = 5
const MAX_IN_ROW = 5
/** Characters of a label; QQ refuses longer ones. */
const MAX_LABEL = 10
/** Buttons that fit side by side on a phone without being cut. */
const BUTTONS_PER_ROW = 2

const STYLES: Record<Button['style'], number> = { default: 0, primary: 1, danger: 3 }

const CALLBACK = 1
const ONLY_SOME = 0
const EVERYBODY = 2

/** Creates the keyboard of a message; undefined if it has no buttons. */
export function createKeyboard({ scene }: Target, { buttons = [], pressers, key }: OutboundMessage) {
  if (buttons.length === 0) return undefined
  const permission =
    scene === 'groups' && pressers && pressers.length > 0
      ? { type: ONLY_SOME, specify_user_ids: [...pressers] }
      : { type: EVERYBODY }
  const drawn = buttons.slice(0, MAX_ROWS * MAX_IN_ROW).map(({ label, value, style }, index) => ({
    id: String(index + 1),
    render_data: { label: cut(label), visited_label: cut(`✓ ${label}`), style: STYLES[style] },
    action: { type: CALLBACK, data: value, permission, click_limit: 1, unsupport_tips: label },
    // After one button of a group is pressed, QQ disables the others.
    group_id: key,
  }))
  const inRow = Math.max(BUTTONS_PER_ROW, Math.ceil(drawn.length / MAX_ROWS))
  const rows = Array.from({ length: Math.ceil(drawn.length / inRow) }, (_, row) => ({
    buttons: drawn.slice(row * inRow, (row + 1) * inRow),
  }))
  return { content: { rows } }
}

function cut(label: string): string {
  const characters = [...label.toWellFormed()]
  return characters.length <= MAX_LABEL
    ? characters.join('')
    : `${characters.slice(0, MAX_LABEL - 1).join('')}…`
}
