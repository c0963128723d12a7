/** The subset of the blocks of Block Kit that the fake supports. */
export interface Block {
  type: string
  block_id?: string
  text?: string | { type: string; text: string }
  elements?: {
    type: string
    action_id?: string
    value?: string
    style?: string
    text?: { type: string; text: string }
  }[]
}

/** Returns Slack's code for invalid blocks; undefined for valid ones. */
export function complaintAboutBlocks(blocks: Block[]): string | undefined {
  if (!Array.isArray(blocks)) return 'invalid_blocks_format'
  if (blocks.length > 50) return 'invalid_blocks'
  const ids = blocks.flatMap(({ block_id }) => block_id ?? [])
  if (new Set(ids).size < ids.length || ids.some((id) => id.length > 255)) return 'invalid_blocks'
  if (blocks.some((block) => !isValid(block))) return 'invalid_blocks'
  if (textsIn(blocks).some((text) => !text.isWellFormed())) return 'invalid_blocks'
  const markdown = blocks.filter(({ type }) => type === 'markdown').map(({ text }) => String(text))
  if (markdown.join('').length > 12_000) return 'msg_blocks_too_long'
}

/** Lists every string in blocks. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function isValid({ type, text, elements }: Block): boolean {
  switch (type) {
    case 'markdown':
      return typeof text === 'string' && text !== ''
    case 'section':
      return (
        typeof text === 'object' &&
        ['plain_text', 'mrkdwn'].includes(text.type) &&
        text.text.length > 0 &&
        text.text.length <= 3000
      )
    case 'actions': {
      const actions = elements?.map(({ action_id }) => action_id) ?? []
      return (
        actions.length >= 1 &&
        actions.length <= 25 &&
        new Set(actions).size === actions.length &&
        elements!.every(
          (element) =>
            element.type === 'button' &&
            element.text?.type === 'plain_text' &&
            element.text.text.length >= 1 &&
            element.text.text.length <= 75 &&
            (element.value ?? '').length <= 2000 &&
            [undefined, 'primary', 'danger'].includes(element.style),
        )
      )
    }
    default:
      return false
  }
}

/** Returns the visible text of blocks. */
export const textOfBlocks = (blocks: Block[]): string =>
  blocks.flatMap(({ text }) => (typeof text === 'object' ? text.text : (text ?? []))).join('')

/** The buttons in blocks, with the block that each is in. */
export const buttonsOf = (blocks: Block[]) =>
  blocks.flatMap(({ block_id, elements = [] }) => elements.map((element) => ({ ...element, block_id })))
